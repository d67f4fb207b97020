// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IEscrow} from "../solidity/interfaces/IEscrow.sol";
import {Deployed} from "./Deployed.sol";

/// @title A token that lies, charges a fee, or calls back
contract BadToken {
    enum Kind {
        ReturnsFalse,
        TakesFee,
        CallsBack
    }

    mapping(address account => uint256) public balanceOf;
    Kind private immutable _kind;
    address private _target;
    bytes private _data;
    bool public reentered;

    constructor(Kind kind) {
        _kind = kind;
    }

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function callBack(address target, bytes calldata data) external {
        (_target, _data) = (target, data);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        if (_kind == Kind.ReturnsFalse) return false;
        balanceOf[from] -= amount;
        balanceOf[to] += _kind == Kind.TakesFee ? amount - 1 : amount;
        if (_kind == Kind.CallsBack && _target != address(0)) (reentered,) = _target.call(_data);
        return true;
    }
}

/// @title The escrow with tokens that are not USDC
contract BadTokensTest is Deployed {
    bytes32 private constant GIG = "gig";
    uint256 private constant AMOUNT = 100e6;

    function test_refusesATokenThatReturnsFalse() public {
        (IEscrow guarded,) = _escrowOf(BadToken.Kind.ReturnsFalse);
        require(!attempt(address(this), address(guarded), _lock(GIG)), "booked what did not arrive");
    }

    function test_refusesATokenThatTakesAFee() public {
        (IEscrow guarded,) = _escrowOf(BadToken.Kind.TakesFee);
        require(!attempt(address(this), address(guarded), _lock(GIG)), "booked more than arrived");
        require(guarded.totalPending() == 0, "books moved");
    }

    function test_paysOnceWhenTheTokenCallsBack() public {
        (IEscrow guarded, BadToken token) = _escrowOf(BadToken.Kind.CallsBack);
        bytes32 slot = guarded.slotOf(GIG, address(this));
        guarded.lockUSDC(GIG, actors[0], AMOUNT);
        token.mint(address(guarded), AMOUNT);
        token.callBack(address(guarded), abi.encodeCall(guarded.refundAfterTimeout, (slot)));
        vm.warp(block.timestamp + 180 days);

        guarded.refundAfterTimeout(slot);

        require(!token.reentered(), "reentered");
        require(token.balanceOf(address(this)) == AMOUNT, "paid twice");
    }

    function test_locksOnceWhenTheTokenCallsBack() public {
        (IEscrow guarded, BadToken token) = _escrowOf(BadToken.Kind.CallsBack);
        token.callBack(address(guarded), _lock("other gig"));
        guarded.lockUSDC(GIG, actors[0], AMOUNT);
        require(!token.reentered(), "reentered");
    }

    function _escrowOf(BadToken.Kind kind) private returns (IEscrow guarded, BadToken token) {
        token = new BadToken(kind);
        token.mint(address(this), AMOUNT);
        guarded = newEscrow(address(token));
    }

    function _lock(bytes32 gig) private view returns (bytes memory) {
        return abi.encodeCall(escrow.lockUSDC, (gig, actors[0], AMOUNT));
    }
}
