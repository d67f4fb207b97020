// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The evaluator of the platform's ERC-8183 jobs
/// @notice A job names its evaluator once for ever. This contract is that evaluator, and OPERATOR_ROLE says who speaks
/// through it: after a change of keys every open job can still be settled. It names jobs as {ICommerce} does, by their keys.
interface IJobEvaluator {
    /// @notice Completes a submitted job. Operator.
    function complete(bytes32 key, bytes32 reason) external;

    /// @notice Rejects a funded or submitted job; its payer gets the money back. Operator.
    function reject(bytes32 key, bytes32 reason) external;

    /// @notice The ERC-8183 contract whose jobs it judges.
    function commerce() external view returns (address);
}
