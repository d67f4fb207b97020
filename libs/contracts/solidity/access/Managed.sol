// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

/// @notice Who holds which role from the first block on, so that no deployer ever holds one.
/// @param admin The timelock: default admin of every contract.
/// @param adminDelay Seconds between the two steps of an admin transfer.
/// @param operator The relayer's lane key.
/// @param batcher The contract that runs several of the operator's calls in one transaction.
/// @param oracle Key that may slash and set scores.
/// @param facilitator Key that receives x402 payments and locks them.
/// @param pauser Hot key that may stop entries.
struct Roles {
    address admin;
    uint48 adminDelay;
    address operator;
    address batcher;
    address oracle;
    address facilitator;
    address pauser;
}

/// @title Roles and pausing shared by the platform's contracts
/// @notice Pausing stops entries (lock, deposit, create, register). It never stops an exit.
abstract contract Managed is AccessControlDefaultAdminRules, Pausable {
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR");
    bytes32 public constant ORACLE_ROLE = keccak256("ORACLE");
    bytes32 public constant FACILITATOR_ROLE = keccak256("FACILITATOR");
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER");

    constructor(Roles memory roles) AccessControlDefaultAdminRules(roles.adminDelay, roles.admin) {
        _grantRole(PAUSER_ROLE, roles.pauser);
    }

    /// @notice Stops entries.
    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    /// @notice Lets entries in again.
    function unpause() external onlyRole(PAUSER_ROLE) {
        _unpause();
    }

    function _grantOperators(Roles memory roles) internal {
        _grantRole(OPERATOR_ROLE, roles.operator);
        _grantRole(OPERATOR_ROLE, roles.batcher);
    }

    function _grantOracles(Roles memory roles) internal {
        _grantRole(ORACLE_ROLE, roles.oracle);
        _grantRole(ORACLE_ROLE, roles.batcher);
    }
}
