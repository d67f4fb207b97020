// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Managed, Roles} from "./access/Managed.sol";
import {ICommerce} from "./interfaces/ICommerce.sol";
import {IJobEvaluator} from "./interfaces/IJobEvaluator.sol";

/// @notice See {IJobEvaluator}. Judging is an exit, so a pause does not stop it.
contract JobEvaluator is IJobEvaluator, Managed {
    ICommerce private immutable _commerce;

    constructor(Roles memory roles, ICommerce commerce_) Managed(roles) {
        _commerce = commerce_;
        _grantOperators(roles);
    }

    /// @inheritdoc IJobEvaluator
    function complete(bytes32 key, bytes32 reason) external onlyRole(OPERATOR_ROLE) {
        _commerce.complete({jobId: _commerce.jobOf(key), reason: reason, optParams: ""});
    }

    /// @inheritdoc IJobEvaluator
    function reject(bytes32 key, bytes32 reason) external onlyRole(OPERATOR_ROLE) {
        _commerce.reject({jobId: _commerce.jobOf(key), reason: reason, optParams: ""});
    }

    /// @inheritdoc IJobEvaluator
    function commerce() external view returns (address) {
        return address(_commerce);
    }
}
