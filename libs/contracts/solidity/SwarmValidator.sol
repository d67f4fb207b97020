// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Managed, Roles} from "./access/Managed.sol";
import {Once} from "./access/Once.sol";
import {IFeePool} from "./interfaces/IFeePool.sol";
import {ISwarmValidator} from "./interfaces/ISwarmValidator.sol";
import {IUSDC} from "./interfaces/IUSDC.sol";

/// @notice See {ISwarmValidator}.
contract SwarmValidator is ISwarmValidator, Managed, Once, ReentrancyGuard {
    using SafeERC20 for IUSDC;

    uint256 private constant MAX_CANDIDATES = 15;

    IUSDC private immutable _usdc;
    address private immutable _bond;

    mapping(bytes32 validation => Validation) private _validations;
    mapping(bytes32 validation => mapping(address account => Seat)) private _seats;

    constructor(Roles memory roles, IUSDC usdc_, address bond_) Managed(roles) {
        _usdc = usdc_;
        _bond = bond_;
        _grantOperators(roles);
    }

    /// @inheritdoc ISwarmValidator
    function createValidation(bytes32 validation, address[] calldata parties, address[] calldata candidates, uint256 threshold)
        external
        whenNotPaused
        onlyRole(OPERATOR_ROLE)
    {
        uint256 count = candidates.length;
        require(_validations[validation].status == Status.None, Swarm_AlreadyExists(validation));
        require(count > 0 && count <= MAX_CANDIDATES, Swarm_CandidateCount(count, MAX_CANDIDATES));
        require(threshold > 0 && threshold <= count, Swarm_ThresholdOutOfRange(threshold, count));
        for (uint256 i = 0; i < parties.length; ++i) {
            _seats[validation][parties[i]] = Seat.Party;
        }
        for (uint256 i = 0; i < count; ++i) {
            _seat(validation, candidates[i]);
        }
        _validations[validation] =
            Validation({status: Status.Pending, candidates: uint8(count), threshold: uint8(threshold), approvals: 0, rejections: 0});
        emit ValidationCreated(validation, candidates, threshold);
    }

    /// @inheritdoc ISwarmValidator
    function replaceCandidate(bytes32 validation, address replaced, address replacement) external onlyRole(OPERATOR_ROLE) {
        _requirePending(validation);
        Seat seat = _seats[validation][replaced];
        require(seat == Seat.Candidate, Swarm_NotCandidate(replaced, seat));
        _seats[validation][replaced] = Seat.Replaced;
        _seat(validation, replacement);
        emit CandidateReplaced(validation, replaced, replacement);
    }

    /// @inheritdoc ISwarmValidator
    function recordVote(bytes32 validation, address voter, bool approve) external onlyRole(OPERATOR_ROLE) {
        _vote(validation, voter, approve);
    }

    /// @inheritdoc ISwarmValidator
    function castVote(bytes32 validation, bool approve) external {
        _requirePending(validation);
        _vote(validation, msg.sender, approve);
    }

    /// @inheritdoc ISwarmValidator
    function payReward(bytes32 claimKey, address to, uint256 amount) external nonReentrant onlyRole(OPERATOR_ROLE) once(claimKey) {
        require(to != address(0), Swarm_ZeroAddress());
        emit RewardPaid(claimKey, to, amount);
        _usdc.safeTransfer({to: to, value: amount});
    }

    /// @inheritdoc IFeePool
    function returnSlash(bytes32 slashId, uint256 amount) external nonReentrant {
        require(msg.sender == _bond, FeePool_NotBond(msg.sender));
        emit SlashReturned(slashId, amount);
        _usdc.safeTransfer({to: _bond, value: amount});
    }

    /// @inheritdoc IFeePool
    function sweep(address to, uint256 amount) external nonReentrant onlyRole(DEFAULT_ADMIN_ROLE) {
        emit PoolSwept(to, amount);
        _usdc.safeTransfer({to: to, value: amount});
    }

    /// @inheritdoc ISwarmValidator
    function getValidation(bytes32 validation) external view returns (Validation memory) {
        return _validations[validation];
    }

    /// @inheritdoc ISwarmValidator
    function seatOf(bytes32 validation, address account) external view returns (Seat) {
        return _seats[validation][account];
    }

    /// @inheritdoc ISwarmValidator
    function usdc() external view returns (address) {
        return address(_usdc);
    }

    /// @inheritdoc IFeePool
    function bond() external view returns (address) {
        return _bond;
    }

    function _seat(bytes32 validation, address candidate) private {
        require(candidate != address(0), Swarm_ZeroAddress());
        Seat seat = _seats[validation][candidate];
        require(seat == Seat.None, Swarm_SeatTaken(candidate, seat));
        _seats[validation][candidate] = Seat.Candidate;
    }

    function _requirePending(bytes32 validation) private view {
        Status status = _validations[validation].status;
        require(status != Status.None, Swarm_UnknownValidation(validation));
        require(status == Status.Pending, Swarm_Resolved(validation));
    }

    function _vote(bytes32 validation, address voter, bool approve) private {
        Seat seat = _seats[validation][voter];
        require(seat == Seat.Candidate, Swarm_NotCandidate(voter, seat));
        _seats[validation][voter] = approve ? Seat.VotedApprove : Seat.VotedReject;
        Validation storage tally = _validations[validation];
        if (approve) ++tally.approvals;
        else ++tally.rejections;
        emit VoteCast(validation, voter, approve);
        if (tally.status == Status.Pending) _resolve(validation, tally);
    }

    function _resolve(bytes32 validation, Validation storage tally) private {
        uint256 n = tally.candidates;
        bool approved = tally.approvals >= tally.threshold && tally.approvals > tally.rejections;
        bool rejected = tally.rejections >= Math.max(n - tally.threshold + 1, n / 2 + 1);
        if (!approved && !rejected) return;
        tally.status = approved ? Status.Approved : Status.Rejected;
        emit ValidationResolved(validation, approved, tally.approvals, tally.rejections);
    }
}
