// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBond} from "../solidity/interfaces/IBond.sol";
import {Deployed} from "./Deployed.sol";
import {Invariants} from "./Invariants.sol";

/// @title Random callers of the bond contract
contract BondCallers is Deployed {
    uint256 private constant GIGS = 5;
    uint256 private constant IDS = 40;

    bytes32[] private _slashes;

    function deposit(uint256 who, uint256 amount) external {
        attempt(actor(who), address(bond), abi.encodeCall(bond.deposit, (bound(amount, 1, 5_000e6))));
    }

    function depositFor(uint256 who, uint256 amount, uint256 id) external {
        bytes memory data = abi.encodeCall(bond.depositFor, (actor(who), bound(amount, 1, 5_000e6), _id(id)));
        attempt(address(this), address(bond), data);
    }

    function withdraw(uint256 who, uint256 amount) external {
        address agent = actor(who);
        uint256 free = bond.getAccount(agent).free;
        attempt(agent, address(bond), abi.encodeCall(bond.withdraw, (bound(amount, 0, free + 1))));
    }

    function withdrawFor(uint256 who, uint256 to, uint256 amount, uint256 id) external {
        bytes memory data = abi.encodeCall(bond.withdrawFor, (actor(who), actor(to), bound(amount, 0, 3_000e6), _id(id)));
        attempt(address(this), address(bond), data);
    }

    function lock(uint256 who, uint256 gig, uint256 amount, uint256 id) external {
        bytes memory data = abi.encodeCall(bond.lock, (actor(who), _gig(gig), bound(amount, 0, 2_000e6), _id(id)));
        attempt(address(this), address(bond), data);
    }

    function unlock(uint256 who, uint256 gig, uint256 id) external {
        attempt(address(this), address(bond), abi.encodeCall(bond.unlock, (actor(who), _gig(gig), _id(id))));
    }

    function slash(uint256 who, uint256 gig, uint256 amount, uint256 id) external {
        bytes32 slashId = _id(id);
        bytes memory data = abi.encodeCall(bond.slash, (actor(who), _gig(gig), bound(amount, 0, 3_000e6), slashId, 0));
        if (attempt(address(this), address(bond), data)) _slashes.push(slashId);
    }

    function unslash(uint256 seed, uint256 amount) external {
        if (_slashes.length == 0) return;
        bytes32 slashId = _slashes[seed % _slashes.length];
        uint256 slashed = bond.getSlash(slashId).amount;
        attempt(address(this), address(bond), abi.encodeCall(bond.unslash, (slashId, bound(amount, 0, slashed + 1))));
    }

    function payReward(uint256 to, uint256 amount, uint256 id) external {
        bytes memory data = abi.encodeCall(pool.payReward, (_id(id), actor(to), bound(amount, 0, 100e6)));
        attempt(address(this), address(pool), data);
    }

    function wait(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 90 days));
    }

    function unlockAfterTimeout(uint256 who, uint256 gig) external {
        attempt(address(0xdead), address(bond), abi.encodeCall(bond.unlockAfterTimeout, (actor(who), _gig(gig))));
    }

    function emptyByTimeAlone() external {
        vm.warp(block.timestamp + 180 days);
        for (uint256 i = 0; i < actors.length; ++i) {
            for (uint256 gig = 0; gig < GIGS; ++gig) {
                attempt(address(0xdead), address(bond), abi.encodeCall(bond.unlockAfterTimeout, (actors[i], _gig(gig))));
            }
            attempt(actors[i], address(bond), abi.encodeCall(bond.withdraw, (bond.getAccount(actors[i]).free)));
        }
    }

    function check() external view {
        uint256 bonded = 0;
        uint256 held = usdc.balanceOf(address(bond)) + usdc.balanceOf(address(pool));
        for (uint256 i = 0; i < actors.length; ++i) {
            IBond.Account memory account = bond.getAccount(actors[i]);
            require(account.locked == _lockedOf(actors[i]), "locked is not the sum of locks");
            bonded += uint256(account.free) + account.locked;
            held += usdc.balanceOf(actors[i]);
        }
        require(bonded == bond.totalBonded(), "total is not the sum of accounts");
        require(bonded == usdc.balanceOf(address(bond)), "books and balance differ");
        require(held == usdc.totalSupply(), "USDC was made or lost");
    }

    function isEmpty() external view returns (bool) {
        return usdc.balanceOf(address(bond)) == 0;
    }

    function _lockedOf(address agent) private view returns (uint256 sum) {
        bytes32[] memory gigs = bond.lockedGigs(agent);
        for (uint256 i = 0; i < gigs.length; ++i) {
            sum += bond.getLock(agent, gigs[i]).amount;
        }
    }

    function _gig(uint256 seed) private pure returns (bytes32) {
        return bytes32(seed % GIGS);
    }

    /// @dev Few ids, so that many are used twice.
    function _id(uint256 seed) private pure returns (bytes32) {
        return bytes32(seed % IDS);
    }
}

/// @title What holds after any sequence of calls to the bond contract
contract BondInvariant is Invariants {
    function _newCallers() internal override returns (address) {
        return address(new BondCallers());
    }
}
