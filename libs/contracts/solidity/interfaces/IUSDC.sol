// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice An EIP-3009 authorisation without what the caller decides: receiver, amount and nonce.
/// @param from Signer whose tokens move.
/// @param validAfter Unix seconds; valid strictly later.
/// @param validBefore Unix seconds; valid strictly earlier.
/// @param signature 65 bytes of ECDSA, or what an ERC-1271 wallet accepts.
struct Authorization {
    address from;
    uint256 validAfter;
    uint256 validBefore;
    bytes signature;
}

/// @title The part of USDC that the platform's contracts use
interface IUSDC is IERC20 {
    /// @notice Moves `value` from `from` to the caller, which must be `to`.
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
        bytes calldata signature
    ) external;

    /// @notice Whether `authorizer` used or cancelled `nonce`.
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool);
}
