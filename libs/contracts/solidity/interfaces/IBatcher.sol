// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Several of the operator's calls in one transaction
/// @notice Each call has its own gas and its own outcome; an id that succeeded is never run again.
interface IBatcher {
    /// @param id Business key of the call.
    /// @param gas Gas that the call may use; the batch reverts as a whole rather than start a call with less.
    struct Op {
        bytes32 id;
        address target;
        uint256 gas;
        bytes data;
    }

    /// @param ret First 512 bytes of what the call returned or reverted with.
    event OpResult(bytes32 indexed id, bool ok, bytes ret);
    event OpSkipped(bytes32 indexed id);

    error Batcher_GasTooLow(bytes32 id, uint256 left, uint256 needed);

    /// @notice Runs the calls in order. Operator.
    function run(Op[] calldata ops) external;

    /// @notice Whether the call named `id` succeeded.
    function done(bytes32 id) external view returns (bool);
}
