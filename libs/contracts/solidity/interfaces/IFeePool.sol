// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The pool of fees and slashes
interface IFeePool {
    /// @param amount In micro-USDC.
    event SlashReturned(bytes32 indexed slashId, uint256 amount);
    /// @param amount In micro-USDC.
    event PoolSwept(address indexed to, uint256 amount);

    error FeePool_NotBond(address caller);

    /// @notice Gives a slash back to the bond contract, which alone may call.
    /// @param amount In micro-USDC.
    function returnSlash(bytes32 slashId, uint256 amount) external;

    /// @notice Withdraws what no reward needs. Timelock.
    /// @param amount In micro-USDC.
    function sweep(address to, uint256 amount) external;

    function bond() external view returns (address);
}
