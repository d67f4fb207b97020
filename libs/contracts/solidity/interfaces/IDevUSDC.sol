// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUSDC} from "./IUSDC.sol";

/// @title USDC of a devnet
/// @notice Behaves to clients as FiatToken 2.2 does: six decimals, EIP-2612, EIP-3009, each by (v, r, s) and by bytes (ERC-1271
/// wallets too), the same EIP-712 domain version and the same revert texts. Minting is a faucet.
interface IDevUSDC is IUSDC {
    /// @param amount In micro-USDC.
    event Mint(address indexed minter, address indexed to, uint256 amount);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    /// @notice Makes tokens. Faucet.
    /// @param amount In micro-USDC.
    function mint(address to, uint256 amount) external returns (bool);

    /// @notice Makes tokens, once per request id. Faucet.
    /// @param amount In micro-USDC.
    function mintOnce(address to, uint256 amount, bytes32 requestId) external;

    /// @param increment In micro-USDC.
    function increaseAllowance(address spender, uint256 increment) external returns (bool);

    /// @param decrement In micro-USDC.
    function decreaseAllowance(address spender, uint256 decrement) external returns (bool);

    /// @notice EIP-2612. A deadline of the highest uint256 never expires.
    /// @param value In micro-USDC.
    /// @param deadline Unix seconds.
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;

    /// @param value In micro-USDC.
    /// @param deadline Unix seconds.
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes calldata signature) external;

    /// @param value In micro-USDC.
    /// @param validAfter Unix seconds; valid strictly later.
    /// @param validBefore Unix seconds; valid strictly earlier.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// @param value In micro-USDC.
    /// @param validAfter Unix seconds; valid strictly later.
    /// @param validBefore Unix seconds; valid strictly earlier.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external;

    /// @param value In micro-USDC.
    /// @param validAfter Unix seconds; valid strictly later.
    /// @param validBefore Unix seconds; valid strictly earlier.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external;

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes calldata signature) external;

    function name() external view returns (string memory);

    function symbol() external view returns (string memory);

    function decimals() external view returns (uint8);

    function currency() external view returns (string memory);

    /// @notice Version of the EIP-712 domain.
    function version() external view returns (string memory);

    function nonces(address owner) external view returns (uint256);

    function DOMAIN_SEPARATOR() external view returns (bytes32);
}
