// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBatcher} from "../solidity/interfaces/IBatcher.sol";
import {Deployed} from "./Deployed.sol";

/// @title Uses the given amount of gas
contract Burner {
    uint256 public calls;

    function burn(uint256 amount) external {
        ++calls;
        uint256 end = gasleft() - amount;
        while (gasleft() > end) {}
    }
}

/// @title A call of a batch never fails for want of gas of the batch
contract BatcherFuzz is Deployed {
    /// @dev What a call of the burner costs besides what it burns, with little to spare.
    uint256 private constant CALL_OVERHEAD = 8_000;

    Burner private _burner;

    function setUp() public {
        _burner = new Burner();
        _burner.burn(0);
    }

    /// @dev Each call is given what it needs, the batch about as much as it needs: either the whole batch reverts or every call
    /// succeeds.
    function testFuzz_outerGasNeverFailsACall(uint256 spare, uint256 need, uint8 count) public {
        uint256 gasNeeded = bound(need, 1_000, 4_000_000);
        uint256 n = bound(count, 1, 4);
        IBatcher.Op[] memory ops = new IBatcher.Op[](n);
        for (uint256 i = 0; i < n; ++i) {
            bytes memory data = abi.encodeCall(Burner.burn, (gasNeeded));
            ops[i] = IBatcher.Op({id: bytes32(i + 1), target: address(_burner), gas: gasNeeded + CALL_OVERHEAD, data: data});
        }
        uint256 before = _burner.calls();
        try batcher.run{gas: n * gasNeeded + bound(spare, 0, gasNeeded / 16 + 200_000)}(ops) {
            require(_burner.calls() == before + n, "a call failed");
            for (uint256 i = 0; i < n; ++i) {
                require(batcher.done(bytes32(i + 1)), "not marked");
            }
        } catch {
            require(_burner.calls() == before, "half a batch");
        }
    }

    /// @dev The check requires little more than it must.
    function test_runsWithJustEnough() public {
        IBatcher.Op[] memory ops = new IBatcher.Op[](1);
        ops[0] = IBatcher.Op({id: "a", target: address(_burner), gas: 200_000, data: abi.encodeCall(Burner.burn, (140_000))});
        batcher.run{gas: 280_000}(ops);
        require(batcher.done("a"), "not run");
    }
}
