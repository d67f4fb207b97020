// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Managed, Roles} from "./access/Managed.sol";
import {Once} from "./access/Once.sol";
import {IBond} from "./interfaces/IBond.sol";
import {IFeePool} from "./interfaces/IFeePool.sol";
import {Authorization, IUSDC} from "./interfaces/IUSDC.sol";
import {Funds} from "./libraries/Funds.sol";

/// @notice See {IBond}.
contract Bond is IBond, Managed, Once, ReentrancyGuard {
    using EnumerableSet for EnumerableSet.Bytes32Set;
    using Funds for IUSDC;
    using SafeCast for uint256;
    using SafeERC20 for IUSDC;

    uint256 private constant MIN_DEPOSIT = 10e6;
    uint256 private constant TIMEOUT = 180 days;
    /// @dev Bounds the walk over an agent's locks in a slash.
    uint256 private constant MAX_LOCKS = 50;

    IUSDC private immutable _usdc;
    IFeePool private immutable _pool;

    uint256 private _totalBonded;
    mapping(address agent => Account) private _accounts;
    mapping(address agent => mapping(bytes32 gigId => GigLock)) private _locks;
    mapping(address agent => EnumerableSet.Bytes32Set) private _gigs;
    mapping(bytes32 slashId => Slash) private _slashes;

    constructor(Roles memory roles, IUSDC usdc_, IFeePool pool_) Managed(roles) {
        _usdc = usdc_;
        _pool = pool_;
        _grantOperators(roles);
        _grantOracles(roles);
    }

    /// @inheritdoc IBond
    function deposit(uint256 amount) external nonReentrant whenNotPaused {
        _credit({agent: msg.sender, from: msg.sender, amount: amount});
        _usdc.pull({from: msg.sender, amount: amount});
    }

    /// @inheritdoc IBond
    function depositFor(address agent, uint256 amount, bytes32 depositId)
        external
        nonReentrant
        whenNotPaused
        onlyRole(OPERATOR_ROLE)
        once(depositId)
    {
        _credit({agent: agent, from: agent, amount: amount});
        _usdc.pull({from: agent, amount: amount});
    }

    /// @inheritdoc IBond
    function depositWithAuthorization(address agent, uint256 amount, bytes32 depositId, Authorization calldata auth)
        external
        nonReentrant
        whenNotPaused
        onlyRole(OPERATOR_ROLE)
        once(depositId)
    {
        _credit({agent: agent, from: auth.from, amount: amount});
        _usdc.pullSigned({auth: auth, amount: amount, nonce: depositId});
    }

    /// @inheritdoc IBond
    function withdraw(uint256 amount) external nonReentrant {
        _withdraw({agent: msg.sender, to: msg.sender, amount: amount});
    }

    /// @inheritdoc IBond
    function withdrawFor(address agent, address to, uint256 amount, bytes32 withdrawalId)
        external
        nonReentrant
        onlyRole(OPERATOR_ROLE)
        once(withdrawalId)
    {
        _withdraw({agent: agent, to: to, amount: amount});
    }

    /// @inheritdoc IBond
    function lock(address agent, bytes32 gigId, uint256 amount, bytes32 lockId)
        external
        whenNotPaused
        onlyRole(OPERATOR_ROLE)
        once(lockId)
    {
        require(amount > 0, Bond_ZeroAmount());
        _takeFree(agent, amount);
        require(_gigs[agent].add(gigId), Bond_AlreadyLocked(agent, gigId));
        require(_gigs[agent].length() <= MAX_LOCKS, Bond_TooManyLocks(agent, MAX_LOCKS));
        _accounts[agent].locked += amount.toUint128();
        _locks[agent][gigId] = GigLock({amount: amount.toUint128(), lockedAt: uint40(block.timestamp)});
        emit BondLocked(agent, gigId, amount);
    }

    /// @inheritdoc IBond
    function unlock(address agent, bytes32 gigId, bytes32 unlockId) external onlyRole(OPERATOR_ROLE) once(unlockId) {
        _unlock(agent, gigId);
    }

    /// @inheritdoc IBond
    function unlockAfterTimeout(address agent, bytes32 gigId) external {
        uint256 availableAt = _locks[agent][gigId].lockedAt + TIMEOUT;
        require(block.timestamp >= availableAt, Bond_TooEarly(availableAt));
        _unlock(agent, gigId);
    }

    /// @inheritdoc IBond
    function slash(address agent, bytes32 gigId, uint256 amount, bytes32 slashId, bytes32 reasonHash)
        external
        nonReentrant
        onlyRole(ORACLE_ROLE)
        once(slashId)
    {
        require(amount > 0, Bond_ZeroAmount());
        Account storage account = _accounts[agent];
        uint256 bonded = uint256(account.free) + account.locked;
        require(amount <= bonded, Bond_InsufficientBond(agent, amount, bonded));
        uint256 fromLocked = _drawLocked(agent, gigId, Math.min(amount, account.locked));
        account.locked -= uint128(fromLocked);
        account.free -= uint128(amount - fromLocked);
        _totalBonded -= amount;
        _slashes[slashId] = Slash({agent: agent, amount: amount.toUint96()});
        emit BondSlashed(slashId, agent, amount, fromLocked, reasonHash);
        _usdc.safeTransfer({to: address(_pool), value: amount});
    }

    /// @inheritdoc IBond
    function unslash(bytes32 slashId, uint256 amount) external nonReentrant onlyRole(ORACLE_ROLE) {
        Slash memory past = _slashes[slashId];
        require(past.agent != address(0), Bond_NothingToReverse(slashId));
        require(amount > 0, Bond_ZeroAmount());
        require(amount <= past.amount, Bond_AboveSlash(amount, past.amount));
        delete _slashes[slashId];
        _accounts[past.agent].free += uint128(amount);
        _totalBonded += amount;
        emit BondUnslashed(slashId, past.agent, amount);
        uint256 before = _usdc.balanceOf(address(this));
        _pool.returnSlash({slashId: slashId, amount: amount});
        Funds.requireReceived(_usdc, before, amount);
    }

    /// @inheritdoc IBond
    function getAccount(address agent) external view returns (Account memory) {
        return _accounts[agent];
    }

    /// @inheritdoc IBond
    function getLock(address agent, bytes32 gigId) external view returns (GigLock memory) {
        return _locks[agent][gigId];
    }

    /// @inheritdoc IBond
    function lockedGigs(address agent) external view returns (bytes32[] memory) {
        return _gigs[agent].values();
    }

    /// @inheritdoc IBond
    function getSlash(bytes32 slashId) external view returns (Slash memory) {
        return _slashes[slashId];
    }

    /// @inheritdoc IBond
    function totalBonded() external view returns (uint256) {
        return _totalBonded;
    }

    /// @inheritdoc IBond
    function usdc() external view returns (address) {
        return address(_usdc);
    }

    /// @inheritdoc IBond
    function pool() external view returns (address) {
        return address(_pool);
    }

    function _credit(address agent, address from, uint256 amount) private {
        require(agent != address(0), Bond_ZeroAddress());
        require(amount >= MIN_DEPOSIT, Bond_BelowMinimum(amount, MIN_DEPOSIT));
        _accounts[agent].free += amount.toUint128();
        _totalBonded += amount;
        emit BondDeposited(agent, from, amount);
    }

    function _withdraw(address agent, address to, uint256 amount) private {
        require(to != address(0), Bond_ZeroAddress());
        require(amount > 0, Bond_ZeroAmount());
        _takeFree(agent, amount);
        _totalBonded -= amount;
        emit BondWithdrawn(agent, to, amount);
        _usdc.safeTransfer({to: to, value: amount});
    }

    function _takeFree(address agent, uint256 amount) private {
        uint256 free = _accounts[agent].free;
        require(amount <= free, Bond_InsufficientFree(agent, amount, free));
        _accounts[agent].free = uint128(free - amount);
    }

    function _unlock(address agent, bytes32 gigId) private {
        require(_gigs[agent].remove(gigId), Bond_NotLocked(agent, gigId));
        uint128 amount = _locks[agent][gigId].amount;
        delete _locks[agent][gigId];
        _accounts[agent].locked -= amount;
        _accounts[agent].free += amount;
        emit BondUnlocked(agent, gigId, amount);
    }

    /// @dev Reduces locks by `wanted`, the one of `first` before others. A lock that falls to zero stays until it is unlocked.
    function _drawLocked(address agent, bytes32 first, uint256 wanted) private returns (uint256 drawn) {
        drawn = _reduce(agent, first, wanted);
        EnumerableSet.Bytes32Set storage gigs = _gigs[agent];
        for (uint256 i = 0; drawn < wanted; ++i) {
            drawn += _reduce(agent, gigs.at(i), wanted - drawn);
        }
    }

    function _reduce(address agent, bytes32 gigId, uint256 wanted) private returns (uint256 drawn) {
        GigLock storage gigLock = _locks[agent][gigId];
        drawn = Math.min(gigLock.amount, wanted);
        if (drawn == 0) return 0;
        gigLock.amount -= uint128(drawn);
        emit BondLockReduced(agent, gigId, drawn);
    }
}
