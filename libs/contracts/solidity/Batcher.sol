// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {Managed, Roles} from "./access/Managed.sol";
import {IBatcher} from "./interfaces/IBatcher.sol";

/// @notice See {IBatcher}.
contract Batcher is IBatcher, Managed, ReentrancyGuard {
    /// @dev What this contract itself needs around and after a call: the call's own cost, the mark, the event with 512 bytes.
    uint256 private constant OVERHEAD = 50_000;
    uint256 private constant MAX_RETURN = 512;

    mapping(bytes32 id => bool) private _done;

    constructor(Roles memory roles) Managed(roles) {
        _grantRole(OPERATOR_ROLE, roles.operator);
    }

    /// @inheritdoc IBatcher
    function run(Op[] calldata ops) external nonReentrant whenNotPaused onlyRole(OPERATOR_ROLE) {
        for (uint256 i = 0; i < ops.length; ++i) {
            _run(ops[i]);
        }
    }

    /// @inheritdoc IBatcher
    function done(bytes32 id) external view returns (bool) {
        return _done[id];
    }

    function _run(Op calldata op) private {
        if (_done[op.id]) {
            emit OpSkipped(op.id);
            return;
        }
        bytes memory data = op.data;
        // A call gets at most 63/64 of what is left: without this check it could fail only because the batch ran low.
        uint256 needed = (op.gas * 64) / 63 + OVERHEAD;
        uint256 left = gasleft();
        require(left >= needed, Batcher_GasTooLow(op.id, left, needed));
        (bool ok, bytes memory ret) = _call(op.target, op.gas, data);
        if (ok) _done[op.id] = true;
        emit OpResult(op.id, ok, ret);
    }

    /// @dev Copies a bounded part of the return data, so that a target cannot burn the batch's gas with it.
    /// An address without code counts as failed: a call to it would do nothing and succeed.
    function _call(address target, uint256 gasLimit, bytes memory data) private returns (bool ok, bytes memory ret) {
        if (target.code.length == 0) return (false, "");
        assembly ("memory-safe") {
            ok := call(gasLimit, target, 0, add(data, 0x20), mload(data), 0, 0)
            let size := returndatasize()
            if gt(size, MAX_RETURN) { size := MAX_RETURN }
            ret := mload(0x40)
            mstore(ret, size)
            mstore(0x40, add(add(ret, 0x20), and(add(size, 0x1f), not(0x1f))))
            returndatacopy(add(ret, 0x20), 0, size)
        }
    }
}
