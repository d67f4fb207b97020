// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Managed, Roles} from "./access/Managed.sol";
import {IReputationAdapter} from "./interfaces/IReputationAdapter.sol";

/// @notice See {IReputationAdapter}.
contract ReputationAdapter is IReputationAdapter, Managed {
    uint256 private constant MAX_BATCH = 50;
    uint256 private constant MAX_SCORE = 10_000;
    uint256 private constant MAX_RISK = 100;
    uint256 private constant MAX_POINTS = 100;
    uint256 private constant HUNDREDTHS = 100;

    mapping(address wallet => Score) private _scores;

    constructor(Roles memory roles) Managed(roles) {
        _grantOracles(roles);
    }

    /// @inheritdoc IReputationAdapter
    function setScores(Score[] calldata scores) external whenNotPaused onlyRole(ORACLE_ROLE) {
        require(scores.length <= MAX_BATCH, Reputation_BatchSize(scores.length, MAX_BATCH));
        bool changed = false;
        for (uint256 i = 0; i < scores.length; ++i) {
            if (_set(scores[i])) changed = true;
        }
        require(changed, Reputation_NothingNew());
    }

    /// @inheritdoc IReputationAdapter
    function checkEligibility(address wallet, uint256 minScore, uint256 maxRisk)
        external
        view
        returns (bool eligible, uint256 score, uint256 risk, bool bonded, uint256 updatedAt)
    {
        require(minScore <= MAX_POINTS && maxRisk <= MAX_RISK, Reputation_LimitOutOfRange(minScore, maxRisk));
        Score memory known = _scores[wallet];
        eligible = known.nonce > 0 && known.score >= minScore * HUNDREDTHS && known.risk <= maxRisk;
        return (eligible, known.score / HUNDREDTHS, known.risk, known.bonded, known.updatedAt);
    }

    /// @inheritdoc IReputationAdapter
    function getScore(address wallet) external view returns (Score memory) {
        return _scores[wallet];
    }

    function _set(Score calldata next) private returns (bool) {
        require(next.score <= MAX_SCORE && next.risk <= MAX_RISK, Reputation_OutOfRange(next.wallet, next.score, next.risk));
        if (next.nonce <= _scores[next.wallet].nonce) return false;
        _scores[next.wallet] = next;
        emit ScoreUpdated(next.wallet, next.score, next.risk, next.bonded, next.updatedAt, next.nonce);
        return true;
    }
}
