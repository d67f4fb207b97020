// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {Managed, Roles} from "./access/Managed.sol";
import {IEscrow} from "./interfaces/IEscrow.sol";
import {Authorization, IUSDC} from "./interfaces/IUSDC.sol";
import {Funds} from "./libraries/Funds.sol";

/// @notice See {IEscrow}.
contract Escrow is IEscrow, Managed, ReentrancyGuard {
    using Funds for IUSDC;
    using SafeERC20 for IUSDC;

    uint256 private constant MIN_AMOUNT = 1_000;
    uint256 private constant MIN_DIRECT_AMOUNT = 1e6;
    uint256 private constant MAX_FEE_BP = 1_000;
    uint256 private constant TIMEOUT = 180 days;

    IUSDC private immutable _usdc;
    address private immutable _feeRecipient;

    uint256 private _perGigCap = 50_000e6;
    uint256 private _tvlCap = 500_000e6;
    uint256 private _totalLocked;
    uint256 private _totalPending;
    mapping(bytes32 slot => Lock) private _locks;

    constructor(Roles memory roles, IUSDC usdc_, address feeRecipient_) Managed(roles) {
        _usdc = usdc_;
        _feeRecipient = feeRecipient_;
        _grantOperators(roles);
        _grantRole(FACILITATOR_ROLE, roles.facilitator);
    }

    /// @inheritdoc IEscrow
    function lockUSDC(bytes32 gigId, address payee, uint256 amount) external nonReentrant whenNotPaused {
        require(amount >= MIN_DIRECT_AMOUNT, Escrow_AmountOutOfRange(amount, MIN_DIRECT_AMOUNT, _perGigCap));
        _open({gigId: gigId, poster: msg.sender, payee: payee, amount: amount, refundTo: msg.sender});
        _totalPending += amount;
        _usdc.pull({from: msg.sender, amount: amount});
    }

    /// @inheritdoc IEscrow
    function lockFor(bytes32 gigId, address poster, address payee, uint256 amount)
        external
        nonReentrant
        whenNotPaused
        onlyRole(OPERATOR_ROLE)
    {
        _count(_open({gigId: gigId, poster: poster, payee: payee, amount: amount, refundTo: poster}));
        _usdc.pull({from: poster, amount: amount});
    }

    /// @inheritdoc IEscrow
    function lockWithAuthorization(bytes32 gigId, address poster, address payee, uint256 amount, Authorization calldata auth)
        external
        nonReentrant
        whenNotPaused
        onlyRole(OPERATOR_ROLE)
    {
        bytes32 slot = _open({gigId: gigId, poster: poster, payee: payee, amount: amount, refundTo: auth.from});
        _count(slot);
        _usdc.pullSigned({auth: auth, amount: amount, nonce: slot});
    }

    /// @inheritdoc IEscrow
    function lockUSDCViaX402(bytes32 gigId, address poster, address payee, uint256 amount)
        external
        nonReentrant
        whenNotPaused
        onlyRole(FACILITATOR_ROLE)
    {
        _count(_open({gigId: gigId, poster: poster, payee: payee, amount: amount, refundTo: poster}));
        _usdc.pull({from: msg.sender, amount: amount});
    }

    /// @inheritdoc IEscrow
    function accept(bytes32 slot, uint256 amount) external whenNotPaused onlyRole(OPERATOR_ROLE) {
        _accept(slot, amount);
    }

    /// @inheritdoc IEscrow
    function setPayee(bytes32 slot, address payee, uint256 amount) external onlyRole(OPERATOR_ROLE) {
        Lock storage lock = _locks[slot];
        require(payee != address(0), Escrow_ZeroAddress());
        require(payee != lock.poster, Escrow_PosterIsPayee(payee));
        if (lock.status == Status.Pending) {
            _requireNotPaused();
            _accept(slot, amount);
        } else {
            _requireHeld(slot);
            require(lock.amount == amount, Escrow_AmountMismatch(amount, lock.amount));
            require(lock.payee != payee, Escrow_PayeeUnchanged(slot, payee));
        }
        lock.payee = payee;
        emit PayeeSet(slot, lock.key, payee);
    }

    /// @inheritdoc IEscrow
    function release(bytes32 slot, uint256 fee, address splitTo, uint256 splitAmount) external nonReentrant onlyRole(OPERATOR_ROLE) {
        _requireHeld(slot);
        uint256 amount = _locks[slot].amount;
        uint256 maxFee = (amount * MAX_FEE_BP) / 10_000;
        require(fee <= maxFee, Escrow_FeeTooHigh(fee, maxFee));
        uint256 maxSplit = (amount - fee) / 2;
        require(splitAmount <= maxSplit, Escrow_SplitTooHigh(splitAmount, maxSplit));
        require((splitAmount == 0) == (splitTo == address(0)), Escrow_SplitWithoutReceiver());
        _pay(slot, fee, splitTo, splitAmount);
    }

    /// @inheritdoc IEscrow
    function refund(bytes32 slot) external nonReentrant onlyRole(OPERATOR_ROLE) {
        _requireHeld(slot);
        require(!_locks[slot].approved, Escrow_AlreadyApproved(slot));
        _refund(slot);
    }

    /// @inheritdoc IEscrow
    function dispute(bytes32 slot) external onlyRole(OPERATOR_ROLE) {
        Lock storage lock = _locks[slot];
        require(lock.status == Status.Locked, Escrow_WrongStatus(slot, lock.status));
        lock.status = Status.Disputed;
        emit EscrowDisputed(slot, lock.key);
    }

    /// @inheritdoc IEscrow
    function markApproved(bytes32 slot) external onlyRole(OPERATOR_ROLE) {
        _requireHeld(slot);
        Lock storage lock = _locks[slot];
        require(lock.payee != address(0), Escrow_NoPayee(slot));
        require(!lock.approved, Escrow_AlreadyApproved(slot));
        lock.approved = true;
        emit EscrowApproved(slot, lock.key);
    }

    /// @inheritdoc IEscrow
    function reclaim(bytes32 slot) external nonReentrant {
        Lock memory lock = _locks[slot];
        require(lock.status == Status.Pending, Escrow_WrongStatus(slot, lock.status));
        require(lock.poster == msg.sender, Escrow_NotDepositor(msg.sender));
        delete _locks[slot];
        _totalPending -= lock.amount;
        emit EscrowReclaimed(slot, lock.key, msg.sender, lock.amount);
        _usdc.safeTransfer({to: lock.refundTo, value: lock.amount});
    }

    /// @inheritdoc IEscrow
    function refundAfterTimeout(bytes32 slot) external nonReentrant {
        Lock storage lock = _locks[slot];
        if (lock.status != Status.Pending) _requireHeld(slot);
        uint256 availableAt = lock.lockedAt + TIMEOUT;
        require(block.timestamp >= availableAt, Escrow_TooEarly(availableAt));
        if (lock.approved) _pay({slot: slot, fee: 0, splitTo: address(0), splitAmount: 0});
        else _refund(slot);
    }

    /// @inheritdoc IEscrow
    function setPerGigCap(uint256 cap) external onlyRole(DEFAULT_ADMIN_ROLE) {
        require(cap <= type(uint96).max, Escrow_AmountOutOfRange(cap, 0, type(uint96).max));
        _perGigCap = cap;
        emit PerGigCapSet(cap);
    }

    /// @inheritdoc IEscrow
    function setTvlCap(uint256 cap) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _tvlCap = cap;
        emit TvlCapSet(cap);
    }

    /// @inheritdoc IEscrow
    function slotOf(bytes32 gigId, address poster) public pure returns (bytes32) {
        return keccak256(abi.encode(gigId, poster));
    }

    /// @inheritdoc IEscrow
    function getLock(bytes32 slot) external view returns (Lock memory) {
        return _locks[slot];
    }

    /// @inheritdoc IEscrow
    function totalLocked() external view returns (uint256) {
        return _totalLocked;
    }

    /// @inheritdoc IEscrow
    function totalPending() external view returns (uint256) {
        return _totalPending;
    }

    /// @inheritdoc IEscrow
    function tvlCapacity() public view returns (uint256) {
        return _totalLocked < _tvlCap ? _tvlCap - _totalLocked : 0;
    }

    /// @inheritdoc IEscrow
    function perGigCap() external view returns (uint256) {
        return _perGigCap;
    }

    /// @inheritdoc IEscrow
    function tvlCap() external view returns (uint256) {
        return _tvlCap;
    }

    /// @inheritdoc IEscrow
    function usdc() external view returns (address) {
        return address(_usdc);
    }

    /// @inheritdoc IEscrow
    function feeRecipient() external view returns (address) {
        return _feeRecipient;
    }

    /// @dev Writes the lock as pending; the caller moves the tokens.
    function _open(bytes32 gigId, address poster, address payee, uint256 amount, address refundTo) private returns (bytes32 slot) {
        require(poster != address(0), Escrow_ZeroAddress());
        require(poster != payee, Escrow_PosterIsPayee(poster));
        require(amount >= MIN_AMOUNT && amount <= _perGigCap, Escrow_AmountOutOfRange(amount, MIN_AMOUNT, _perGigCap));
        slot = slotOf(gigId, poster);
        require(_locks[slot].status == Status.None, Escrow_SlotTaken(slot));
        _locks[slot] = Lock({
            key: gigId,
            poster: poster,
            lockedAt: uint40(block.timestamp),
            status: Status.Pending,
            approved: false,
            payee: payee,
            // casting is safe: the cap fits in uint96
            amount: uint96(amount),
            refundTo: refundTo
        });
        emit EscrowLocked(gigId, poster, payee, amount);
    }

    function _accept(bytes32 slot, uint256 amount) private {
        Lock storage lock = _locks[slot];
        require(lock.status == Status.Pending, Escrow_WrongStatus(slot, lock.status));
        require(lock.amount == amount, Escrow_AmountMismatch(amount, lock.amount));
        _totalPending -= amount;
        _count(slot);
    }

    /// @dev From here on the slot counts against the cap.
    function _count(bytes32 slot) private {
        Lock storage lock = _locks[slot];
        uint256 capacity = tvlCapacity();
        require(lock.amount <= capacity, Escrow_TvlCapReached(lock.amount, capacity));
        lock.status = Status.Locked;
        _totalLocked += lock.amount;
        emit EscrowAccepted(slot, lock.key, lock.amount);
    }

    function _requireHeld(bytes32 slot) private view {
        Status status = _locks[slot].status;
        require(status == Status.Locked || status == Status.Disputed, Escrow_WrongStatus(slot, status));
    }

    function _pay(bytes32 slot, uint256 fee, address splitTo, uint256 splitAmount) private {
        Lock storage lock = _locks[slot];
        address payee = lock.payee;
        require(payee != address(0), Escrow_NoPayee(slot));
        uint256 net = lock.amount - fee;
        lock.status = Status.Released;
        _totalLocked -= lock.amount;
        emit EscrowReleased(lock.key, payee, net, fee, splitTo, splitAmount);
        if (fee > 0) _usdc.safeTransfer({to: _feeRecipient, value: fee});
        if (splitAmount > 0) _usdc.safeTransfer({to: splitTo, value: splitAmount});
        _usdc.safeTransfer({to: payee, value: net - splitAmount});
    }

    function _refund(bytes32 slot) private {
        Lock storage lock = _locks[slot];
        if (lock.status == Status.Pending) _totalPending -= lock.amount;
        else _totalLocked -= lock.amount;
        lock.status = Status.Refunded;
        emit EscrowRefunded(lock.key, slot, lock.refundTo, lock.amount);
        _usdc.safeTransfer({to: lock.refundTo, value: lock.amount});
    }
}
