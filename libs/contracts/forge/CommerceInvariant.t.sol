// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC8183} from "../solidity/interfaces/IERC8183.sol";
import {Deployed} from "./Deployed.sol";
import {Invariants} from "./Invariants.sol";

/// @title Random callers of the commerce contract
contract CommerceCallers is Deployed {
    uint256 private constant SALTS = 20;

    function createJob(uint256 who, uint256 provider, uint256 evaluator, uint256 time) external {
        uint256 expiredAt = block.timestamp + bound(time, 1, 30 days);
        bytes memory data = abi.encodeWithSignature(
            "createJob(address,address,uint256,string,address)", actor(provider), actor(evaluator), expiredAt, "", address(0)
        );
        attempt(actor(who), address(commerce), data);
    }

    function createJobFor(uint256 who, uint256 budget, uint256 time, uint256 salt) external {
        uint256 expiredAt = block.timestamp + bound(time, 1, 30 days);
        bytes memory data = abi.encodeCall(
            commerce.createJobFor,
            (actor(who), address(this), bound(budget, 0, 1_000e6), expiredAt, "", keccak256(abi.encode(salt % SALTS)))
        );
        attempt(address(this), address(commerce), data);
    }

    function setProvider(uint256 job, uint256 provider) external {
        _asClient(job, abi.encodeWithSignature("setProvider(uint256,address)", _job(job), actor(provider)));
    }

    function setBudget(uint256 job, uint256 amount) external {
        _asClient(job, abi.encodeWithSignature("setBudget(uint256,uint256,bytes)", _job(job), bound(amount, 0, 1_000e6), ""));
    }

    function fund(uint256 job) external {
        _asClient(job, abi.encodeWithSignature("fund(uint256,bytes)", _job(job), ""));
    }

    function prefund(uint256 job, uint256 amount) external {
        uint256 value = amount % 4 == 0 ? bound(amount, 0, 1_000e6) : _budget(job);
        attempt(address(this), address(commerce), abi.encodeCall(commerce.prefund, (_key(job), value)));
    }

    function assign(uint256 job, uint256 provider) external {
        attempt(address(this), address(commerce), abi.encodeCall(commerce.assign, (_key(job), actor(provider))));
    }

    function submitFor(uint256 job) external {
        attempt(address(this), address(commerce), abi.encodeCall(commerce.submitFor, (_key(job), "")));
    }

    function complete(uint256 job, uint256 who) external {
        _asEvaluator(job, who, abi.encodeCall(commerce.complete, (_job(job), "", "")));
    }

    function reject(uint256 job, uint256 who) external {
        _asEvaluator(job, who, abi.encodeCall(commerce.reject, (_job(job), "", "")));
    }

    function cancel(uint256 job) external {
        _asClient(job, abi.encodeCall(commerce.reject, (_job(job), "", "")));
    }

    function withdrawFor(uint256 job) external {
        attempt(address(this), address(commerce), abi.encodeCall(commerce.withdrawFor, (_key(job), "")));
    }

    function flagDispute(uint256 job, uint256 who) external {
        attempt(actor(who), address(commerce), abi.encodeCall(commerce.flagDispute, (_key(job), actor(who))));
    }

    function wait(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 5 days));
    }

    function claimRefund(uint256 job) external {
        attempt(address(0xdead), address(commerce), abi.encodeCall(commerce.claimRefund, (_job(job))));
    }

    function emptyByTimeAlone() external {
        vm.warp(block.timestamp + 31 days);
        for (uint256 id = 1; id <= commerce.jobCounter(); ++id) {
            attempt(address(0xdead), address(commerce), abi.encodeCall(commerce.claimRefund, (id)));
        }
    }

    function check() external view {
        uint256 deposits = 0;
        for (uint256 id = 1; id <= commerce.jobCounter(); ++id) {
            IERC8183.Job memory job = commerce.getJob(id);
            bytes32 key = commerce.keyOf(id);
            require(commerce.jobOf(key) == id, "a key of another job");
            uint256 paidIn = commerce.depositOf(key).amount;
            bool isRunning = job.status == IERC8183.JobStatus.Funded || job.status == IERC8183.JobStatus.Submitted;
            if (isRunning) require(paidIn == job.budget && paidIn > 0, "a funded job without its budget");
            if (job.status > IERC8183.JobStatus.Submitted) require(paidIn == 0, "an ended job holds a deposit");
            deposits += paidIn;
        }
        require(deposits == commerce.totalDeposits(), "total is not the sum of deposits");
        require(deposits == usdc.balanceOf(address(commerce)), "books and balance differ");
        require(_sum() == usdc.totalSupply(), "USDC was made or lost");
    }

    function isEmpty() external view returns (bool) {
        return usdc.balanceOf(address(commerce)) == 0;
    }

    function _asClient(uint256 seed, bytes memory data) private {
        if (commerce.jobCounter() == 0) return;
        attempt(commerce.getJob(_job(seed)).client, address(commerce), data);
    }

    function _asEvaluator(uint256 seed, uint256 who, bytes memory data) private {
        if (commerce.jobCounter() == 0) return;
        address from = who % 4 == 0 ? actor(who) : commerce.getJob(_job(seed)).evaluator;
        attempt(from, address(commerce), data);
    }

    function _job(uint256 seed) private view returns (uint256) {
        uint256 count = commerce.jobCounter();
        return count == 0 ? 0 : bound(seed, 1, count);
    }

    function _key(uint256 seed) private view returns (bytes32) {
        return commerce.jobCounter() == 0 ? bytes32(0) : commerce.keyOf(_job(seed));
    }

    function _budget(uint256 seed) private view returns (uint256) {
        return commerce.jobCounter() == 0 ? 0 : commerce.getJob(_job(seed)).budget;
    }

    function _sum() private view returns (uint256 sum) {
        sum = usdc.balanceOf(address(pool)) + usdc.balanceOf(address(commerce));
        for (uint256 i = 0; i < actors.length; ++i) {
            sum += usdc.balanceOf(actors[i]);
        }
    }
}

/// @title What holds after any sequence of calls to the commerce contract
contract CommerceInvariant is Invariants {
    function _newCallers() internal override returns (address) {
        return address(new CommerceCallers());
    }
}
