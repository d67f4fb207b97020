// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Authorization} from "./IUSDC.sol";

/// @title USDC held for gigs
/// @notice A slot is `keccak256(abi.encode(key, poster))`, so a stranger cannot occupy somebody's gig. A slot pays out once, and
/// its refund address never changes. 180 days after the lock anybody may empty it.
interface IEscrow {
    /// @notice Pending: a direct lock that the operator has not accepted; its depositor may withdraw it.
    enum Status {
        None,
        Pending,
        Locked,
        Disputed,
        Released,
        Refunded
    }

    /// @param lockedAt Unix seconds.
    /// @param amount In micro-USDC.
    struct Lock {
        bytes32 key;
        address poster;
        uint40 lockedAt;
        Status status;
        bool approved;
        address payee;
        uint96 amount;
        address refundTo;
    }

    /// @param amount In micro-USDC.
    event EscrowLocked(bytes32 indexed key, address indexed poster, address indexed payee, uint256 amount);
    /// @param amount In micro-USDC.
    event EscrowAccepted(bytes32 indexed slot, bytes32 indexed key, uint256 amount);
    /// @param amount In micro-USDC.
    event EscrowReclaimed(bytes32 indexed slot, bytes32 indexed key, address indexed poster, uint256 amount);
    event PayeeSet(bytes32 indexed slot, bytes32 indexed key, address indexed payee);
    /// @param net What the payee and `splitTo` get together, in micro-USDC.
    /// @param fee In micro-USDC.
    /// @param splitAmount In micro-USDC.
    event EscrowReleased(bytes32 indexed key, address indexed payee, uint256 net, uint256 fee, address splitTo, uint256 splitAmount);
    /// @param amount In micro-USDC.
    event EscrowRefunded(bytes32 indexed key, bytes32 indexed slot, address indexed refundTo, uint256 amount);
    event EscrowDisputed(bytes32 indexed slot, bytes32 indexed key);
    event EscrowApproved(bytes32 indexed slot, bytes32 indexed key);
    /// @param cap In micro-USDC.
    event PerGigCapSet(uint256 cap);
    /// @param cap In micro-USDC.
    event TvlCapSet(uint256 cap);

    error Escrow_ZeroAddress();
    error Escrow_PosterIsPayee(address poster);
    error Escrow_AmountOutOfRange(uint256 amount, uint256 min, uint256 max);
    error Escrow_TvlCapReached(uint256 amount, uint256 capacity);
    error Escrow_SlotTaken(bytes32 slot);
    error Escrow_WrongStatus(bytes32 slot, Status status);
    error Escrow_AmountMismatch(uint256 expected, uint256 actual);
    error Escrow_NotDepositor(address caller);
    error Escrow_PayeeUnchanged(bytes32 slot, address payee);
    error Escrow_NoPayee(bytes32 slot);
    error Escrow_AlreadyApproved(bytes32 slot);
    error Escrow_FeeTooHigh(uint256 fee, uint256 max);
    error Escrow_SplitTooHigh(uint256 splitAmount, uint256 max);
    error Escrow_SplitWithoutReceiver();
    error Escrow_TooEarly(uint256 availableAt);

    /// @notice Locks the caller's own USDC (allowance), at least 1 USDC. Counts once the operator accepted it.
    /// @param payee May be zero while nobody is assigned.
    /// @param amount In micro-USDC.
    function lockUSDC(bytes32 gigId, address payee, uint256 amount) external;

    /// @notice Locks from the poster's allowance. Operator.
    /// @param amount In micro-USDC.
    function lockFor(bytes32 gigId, address poster, address payee, uint256 amount) external;

    /// @notice Locks by an EIP-3009 authorisation whose nonce is the slot; refunds go to its signer. Operator.
    /// @param amount In micro-USDC.
    function lockWithAuthorization(bytes32 gigId, address poster, address payee, uint256 amount, Authorization calldata auth) external;

    /// @notice Locks what the facilitator (the caller) received by x402; refunds go to the poster. Facilitator.
    /// @param amount In micro-USDC.
    function lockUSDCViaX402(bytes32 gigId, address poster, address payee, uint256 amount) external;

    /// @notice Makes a direct lock count; names its amount, because the depositor could have replaced it. Operator.
    /// @param amount In micro-USDC.
    function accept(bytes32 slot, uint256 amount) external;

    /// @notice Names the payee of a slot that is not paid out yet; accepts a direct lock on the way. Operator.
    /// @param amount In micro-USDC.
    function setPayee(bytes32 slot, address payee, uint256 amount) external;

    /// @notice Pays fee, split and payee together. Operator.
    /// @param fee At most 10 % of the amount, to the fee pool, in micro-USDC.
    /// @param splitTo Zero when `splitAmount` is zero.
    /// @param splitAmount At most half of what remains after the fee, in micro-USDC.
    function release(bytes32 slot, uint256 fee, address splitTo, uint256 splitAmount) external;

    /// @notice Pays everything back to where the lock came from. Operator. Refused once the slot is marked approved.
    function refund(bytes32 slot) external;

    /// @notice Marks the slot disputed. Operator.
    function dispute(bytes32 slot) external;

    /// @notice Records that the payee won, so that the timeout pays the payee. Operator.
    function markApproved(bytes32 slot) external;

    /// @notice Withdraws a direct lock that was not accepted and frees the slot. Its depositor.
    function reclaim(bytes32 slot) external;

    /// @notice Empties a slot 180 days after its lock: to the payee once approved, else to the refund address. Anybody.
    function refundAfterTimeout(bytes32 slot) external;

    /// @notice Timelock only.
    /// @param cap In micro-USDC.
    function setPerGigCap(uint256 cap) external;

    /// @notice Timelock only.
    /// @param cap In micro-USDC.
    function setTvlCap(uint256 cap) external;

    function slotOf(bytes32 gigId, address poster) external pure returns (bytes32);

    function getLock(bytes32 slot) external view returns (Lock memory);

    /// @notice Sum of accepted locks that are not paid out.
    /// @return In micro-USDC.
    function totalLocked() external view returns (uint256);

    /// @notice Sum of direct locks that are not accepted.
    /// @return In micro-USDC.
    function totalPending() external view returns (uint256);

    /// @notice What may still be accepted under the cap.
    /// @return In micro-USDC.
    function tvlCapacity() external view returns (uint256);

    /// @return In micro-USDC.
    function perGigCap() external view returns (uint256);

    /// @return In micro-USDC.
    function tvlCap() external view returns (uint256);

    function usdc() external view returns (address);

    function feeRecipient() external view returns (address);
}
