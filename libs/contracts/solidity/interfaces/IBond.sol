// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Authorization} from "./IUSDC.sol";

/// @title Bonds of agents
/// @notice What an agent deposited is either free or locked for a gig. Ids (`depositId`, `slashId`, …) are the platform's bond event
/// ids: each counts once.
interface IBond {
    /// @param free In micro-USDC.
    /// @param locked In micro-USDC.
    struct Account {
        uint128 free;
        uint128 locked;
    }

    /// @param amount In micro-USDC.
    /// @param lockedAt Unix seconds.
    struct GigLock {
        uint128 amount;
        uint40 lockedAt;
    }

    /// @param amount In micro-USDC.
    struct Slash {
        address agent;
        uint96 amount;
    }

    /// @param amount In micro-USDC.
    event BondDeposited(address indexed agent, address indexed from, uint256 amount);
    /// @param amount In micro-USDC.
    event BondWithdrawn(address indexed agent, address indexed to, uint256 amount);
    /// @param amount In micro-USDC.
    event BondLocked(address indexed agent, bytes32 indexed gigId, uint256 amount);
    /// @param amount In micro-USDC.
    event BondUnlocked(address indexed agent, bytes32 indexed gigId, uint256 amount);
    /// @notice A slash reduced this lock by `amount`.
    /// @param amount In micro-USDC.
    event BondLockReduced(address indexed agent, bytes32 indexed gigId, uint256 amount);
    /// @param amount In micro-USDC.
    /// @param fromLocked In micro-USDC.
    event BondSlashed(bytes32 indexed slashId, address indexed agent, uint256 amount, uint256 fromLocked, bytes32 reasonHash);
    /// @param amount In micro-USDC.
    event BondUnslashed(bytes32 indexed slashId, address indexed agent, uint256 amount);

    error Bond_ZeroAddress();
    error Bond_BelowMinimum(uint256 amount, uint256 min);
    error Bond_ZeroAmount();
    error Bond_InsufficientFree(address agent, uint256 amount, uint256 free);
    error Bond_InsufficientBond(address agent, uint256 amount, uint256 bonded);
    error Bond_AlreadyLocked(address agent, bytes32 gigId);
    error Bond_NotLocked(address agent, bytes32 gigId);
    error Bond_TooManyLocks(address agent, uint256 max);
    error Bond_TooEarly(uint256 availableAt);
    error Bond_NothingToReverse(bytes32 slashId);
    error Bond_AboveSlash(uint256 amount, uint256 slashed);

    /// @notice Deposits the caller's own USDC (allowance), at least 10 USDC.
    /// @param amount In micro-USDC.
    function deposit(uint256 amount) external;

    /// @notice Deposits from the agent's allowance. Operator.
    /// @param amount In micro-USDC.
    function depositFor(address agent, uint256 amount, bytes32 depositId) external;

    /// @notice Deposits by an EIP-3009 authorisation whose nonce is `depositId`. Operator.
    /// @param amount In micro-USDC.
    function depositWithAuthorization(address agent, uint256 amount, bytes32 depositId, Authorization calldata auth) external;

    /// @notice Withdraws free bond. The agent.
    /// @param amount In micro-USDC.
    function withdraw(uint256 amount) external;

    /// @notice Pays free bond out to the agent's bond wallet. Operator.
    /// @param amount In micro-USDC.
    function withdrawFor(address agent, address to, uint256 amount, bytes32 withdrawalId) external;

    /// @notice Locks free bond for a gig. Operator.
    /// @param amount In micro-USDC.
    function lock(address agent, bytes32 gigId, uint256 amount, bytes32 lockId) external;

    /// @notice Frees what is left of a gig's lock. Operator.
    function unlock(address agent, bytes32 gigId, bytes32 unlockId) external;

    /// @notice Frees a gig's lock 180 days after it was made. Anybody.
    function unlockAfterTimeout(address agent, bytes32 gigId) external;

    /// @notice Sends bond to the fee pool: from the lock of `gigId` first (zero: none), then other locks, then the free part. Oracle.
    /// @param amount In micro-USDC.
    function slash(address agent, bytes32 gigId, uint256 amount, bytes32 slashId, bytes32 reasonHash) external;

    /// @notice Returns up to the slashed amount from the fee pool to the free part, once. Oracle.
    /// @param amount In micro-USDC.
    function unslash(bytes32 slashId, uint256 amount) external;

    function getAccount(address agent) external view returns (Account memory);

    function getLock(address agent, bytes32 gigId) external view returns (GigLock memory);

    /// @notice Gigs for which bond of `agent` is locked.
    function lockedGigs(address agent) external view returns (bytes32[] memory);

    function getSlash(bytes32 slashId) external view returns (Slash memory);

    /// @notice Sum of all accounts, free and locked.
    /// @return In micro-USDC.
    function totalBonded() external view returns (uint256);

    function usdc() external view returns (address);

    function pool() external view returns (address);
}
