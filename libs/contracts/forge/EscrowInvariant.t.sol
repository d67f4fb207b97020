// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IEscrow} from "../solidity/interfaces/IEscrow.sol";
import {Deployed} from "./Deployed.sol";
import {Invariants} from "./Invariants.sol";

/// @title Random callers of the escrow
contract EscrowCallers is Deployed {
    uint256 private constant GIGS = 6;

    bytes32[] private _slots;
    mapping(bytes32 slot => bool) private _isKnown;
    mapping(bytes32 slot => address) private _refundTo;

    constructor() {
        usdc.mint(address(this), FUNDS);
        usdc.approve(address(escrow), type(uint256).max);
        escrow.setTvlCap(200_000e6);
    }

    function lockUSDC(uint256 who, uint256 gig, uint256 payee, uint256 amount) external {
        _lock(actor(who), who, gig, abi.encodeCall(escrow.lockUSDC, (_gig(gig), actor(payee), _amount(amount))));
    }

    function lockFor(uint256 who, uint256 gig, uint256 payee, uint256 amount) external {
        _lock(address(this), who, gig, abi.encodeCall(escrow.lockFor, (_gig(gig), actor(who), _maybe(payee), _amount(amount))));
    }

    function lockUSDCViaX402(uint256 who, uint256 gig, uint256 payee, uint256 amount) external {
        _lock(
            address(this),
            who,
            gig,
            abi.encodeCall(escrow.lockUSDCViaX402, (_gig(gig), actor(who), _maybe(payee), _amount(amount)))
        );
    }

    function accept(uint256 seed) external {
        bytes32 slot = _slot(seed);
        attempt(address(this), address(escrow), abi.encodeCall(escrow.accept, (slot, escrow.getLock(slot).amount)));
    }

    function setPayee(uint256 seed, uint256 payee) external {
        bytes32 slot = _slot(seed);
        uint256 amount = escrow.getLock(slot).amount;
        attempt(address(this), address(escrow), abi.encodeCall(escrow.setPayee, (slot, actor(payee), amount)));
    }

    function release(uint256 seed, uint256 fee, uint256 splitTo, uint256 split) external {
        bytes32 slot = _slot(seed);
        uint256 amount = escrow.getLock(slot).amount;
        uint256 feeAmount = bound(fee, 0, amount / 9);
        uint256 splitAmount = bound(split, 0, amount / 2);
        address receiver = splitAmount == 0 ? address(0) : actor(splitTo);
        attempt(address(this), address(escrow), abi.encodeCall(escrow.release, (slot, feeAmount, receiver, splitAmount)));
    }

    function refund(uint256 seed) external {
        attempt(address(this), address(escrow), abi.encodeCall(escrow.refund, (_slot(seed))));
    }

    function dispute(uint256 seed) external {
        attempt(address(this), address(escrow), abi.encodeCall(escrow.dispute, (_slot(seed))));
    }

    function markApproved(uint256 seed) external {
        attempt(address(this), address(escrow), abi.encodeCall(escrow.markApproved, (_slot(seed))));
    }

    function reclaim(uint256 who, uint256 seed) external {
        attempt(actor(who), address(escrow), abi.encodeCall(escrow.reclaim, (_slot(seed))));
    }

    function wait(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 60 days));
    }

    function refundAfterTimeout(uint256 who, uint256 seed) external {
        attempt(actor(who), address(escrow), abi.encodeCall(escrow.refundAfterTimeout, (_slot(seed))));
    }

    function emptyByTimeAlone() external {
        vm.warp(block.timestamp + 180 days);
        for (uint256 i = 0; i < _slots.length; ++i) {
            attempt(address(0xdead), address(escrow), abi.encodeCall(escrow.refundAfterTimeout, (_slots[i])));
        }
    }

    function check() external view {
        uint256 locked = 0;
        uint256 pending = 0;
        for (uint256 i = 0; i < _slots.length; ++i) {
            IEscrow.Lock memory lock = escrow.getLock(_slots[i]);
            if (lock.status == IEscrow.Status.Pending) pending += lock.amount;
            if (lock.status == IEscrow.Status.Locked || lock.status == IEscrow.Status.Disputed) locked += lock.amount;
            if (lock.status != IEscrow.Status.None) require(lock.refundTo == _refundTo[_slots[i]], "refund address changed");
        }
        require(locked == escrow.totalLocked(), "locked is not the sum of locks");
        require(pending == escrow.totalPending(), "pending is not the sum of pending locks");
        require(locked + pending == usdc.balanceOf(address(escrow)), "books and balance differ");
        require(locked <= escrow.tvlCap(), "above the cap");
        require(_sum() == usdc.totalSupply(), "USDC was made or lost");
    }

    function isEmpty() external view returns (bool) {
        return usdc.balanceOf(address(escrow)) == 0;
    }

    function _lock(address from, uint256 who, uint256 gig, bytes memory data) private {
        bytes32 slot = escrow.slotOf(_gig(gig), actor(who));
        if (!attempt(from, address(escrow), data)) return;
        if (!_isKnown[slot]) _slots.push(slot);
        _isKnown[slot] = true;
        _refundTo[slot] = escrow.getLock(slot).refundTo;
    }

    function _slot(uint256 seed) private view returns (bytes32) {
        return _slots.length == 0 ? bytes32(0) : _slots[seed % _slots.length];
    }

    function _maybe(uint256 seed) private view returns (address) {
        return seed % 3 == 0 ? address(0) : actor(seed);
    }

    function _gig(uint256 seed) private pure returns (bytes32) {
        return bytes32(seed % GIGS);
    }

    function _amount(uint256 seed) private pure returns (uint256) {
        return bound(seed, 1, 60_000e6);
    }

    function _sum() private view returns (uint256 sum) {
        sum = usdc.balanceOf(address(this)) + usdc.balanceOf(address(pool)) + usdc.balanceOf(address(escrow));
        for (uint256 i = 0; i < actors.length; ++i) {
            sum += usdc.balanceOf(actors[i]);
        }
    }
}

/// @title What holds after any sequence of calls to the escrow
contract EscrowInvariant is Invariants {
    function _newCallers() internal override returns (address) {
        return address(new EscrowCallers());
    }
}
