// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Scores of agents for other contracts
interface IReputationAdapter {
    /// @param wallet The agent's registered wallet.
    /// @param score FusedScore in hundredths of a point: 0..10000.
    /// @param risk Risk index in whole points: 0..100.
    /// @param bonded Whether the agent had a bond.
    /// @param updatedAt Unix seconds at which the platform computed it.
    /// @param nonce Rises with every update of a wallet.
    struct Score {
        address wallet;
        uint16 score;
        uint8 risk;
        bool bonded;
        uint40 updatedAt;
        uint64 nonce;
    }

    /// @param score In hundredths of a point: 0..10000.
    /// @param risk In whole points: 0..100.
    /// @param updatedAt Unix seconds.
    event ScoreUpdated(address indexed wallet, uint256 score, uint256 risk, bool bonded, uint256 updatedAt, uint256 nonce);

    error Reputation_OutOfRange(address wallet, uint256 score, uint256 risk);
    error Reputation_BatchSize(uint256 size, uint256 max);
    error Reputation_NothingNew();
    /// @notice A limit is not in whole points: 0..100.
    error Reputation_LimitOutOfRange(uint256 minScore, uint256 maxRisk);

    /// @notice Writes up to 50 scores. Entries older than what is stored are skipped; a batch of nothing else is refused. Oracle.
    /// @param scores Scores in hundredths of a point, risks in whole points.
    function setScores(Score[] calldata scores) external;

    /// @notice Whether a wallet meets the limits. A wallet without a score is not eligible.
    /// @param wallet The agent's registered wallet.
    /// @param minScore Least FusedScore in whole points: 0..100. {getScore} has hundredths.
    /// @param maxRisk Highest risk index in whole points: 0..100.
    /// @return eligible Whether score and risk are within the limits.
    /// @return score FusedScore in whole points, rounded down.
    /// @return risk Risk index in whole points.
    /// @return bonded Whether the agent had a bond.
    /// @return updatedAt Unix seconds at which the platform computed it; 0 without a score.
    function checkEligibility(address wallet, uint256 minScore, uint256 maxRisk)
        external
        view
        returns (bool eligible, uint256 score, uint256 risk, bool bonded, uint256 updatedAt);

    /// @notice What was written last; all zero for a wallet without a score.
    /// @param wallet The agent's registered wallet.
    /// @return The score in hundredths of a point, the risk in whole points.
    function getScore(address wallet) external view returns (Score memory);
}
