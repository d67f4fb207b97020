// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IFeePool} from "./IFeePool.sol";

/// @title Votes of validator swarms, and the fee pool that pays them
/// @notice n candidates, threshold T. Approved when approvals reach T and outnumber rejections; rejected when rejections reach
/// max(n - T + 1, n / 2 + 1). A threshold alone can never reject.
interface ISwarmValidator is IFeePool {
    enum Status {
        None,
        Pending,
        Approved,
        Rejected
    }

    /// @notice What an address is to a validation.
    enum Seat {
        None,
        Party,
        Candidate,
        VotedApprove,
        VotedReject,
        Replaced
    }

    /// @param threshold Approvals needed.
    struct Validation {
        Status status;
        uint8 candidates;
        uint8 threshold;
        uint8 approvals;
        uint8 rejections;
    }

    /// @param threshold Approvals needed.
    event ValidationCreated(bytes32 indexed validation, address[] candidates, uint256 threshold);
    event CandidateReplaced(bytes32 indexed validation, address indexed replaced, address indexed replacement);
    event VoteCast(bytes32 indexed validation, address indexed voter, bool approve);
    event ValidationResolved(bytes32 indexed validation, bool approved, uint256 approvals, uint256 rejections);
    /// @param amount In micro-USDC.
    event RewardPaid(bytes32 indexed claimKey, address indexed to, uint256 amount);

    error Swarm_AlreadyExists(bytes32 validation);
    error Swarm_UnknownValidation(bytes32 validation);
    error Swarm_CandidateCount(uint256 count, uint256 max);
    error Swarm_ThresholdOutOfRange(uint256 threshold, uint256 candidates);
    error Swarm_SeatTaken(address account, Seat seat);
    error Swarm_NotCandidate(address account, Seat seat);
    error Swarm_Resolved(bytes32 validation);
    error Swarm_ZeroAddress();

    /// @notice Opens a validation. Parties may not vote. Operator.
    /// @param threshold Approvals needed.
    function createValidation(bytes32 validation, address[] calldata parties, address[] calldata candidates, uint256 threshold) external;

    /// @notice Gives the seat of a candidate that has not voted to another. Operator.
    function replaceCandidate(bytes32 validation, address replaced, address replacement) external;

    /// @notice Records a vote that the platform authenticated. Votes that arrive after the result are recorded and change nothing. Operator.
    function recordVote(bytes32 validation, address voter, bool approve) external;

    /// @notice Votes for oneself, until the result.
    function castVote(bytes32 validation, bool approve) external;

    /// @notice Pays a reward out of the pool, once per claim key. Operator.
    /// @param amount In micro-USDC.
    function payReward(bytes32 claimKey, address to, uint256 amount) external;

    function getValidation(bytes32 validation) external view returns (Validation memory);

    function seatOf(bytes32 validation, address account) external view returns (Seat);

    function usdc() external view returns (address);
}
