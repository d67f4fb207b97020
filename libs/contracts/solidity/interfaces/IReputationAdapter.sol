// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Scores of agents for other contracts
interface IReputationAdapter {
    /// @param score FusedScore times 100: 0..10000.
    /// @param risk 0..100.
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

    event ScoreUpdated(address indexed wallet, uint256 score, uint256 risk, bool bonded, uint256 updatedAt, uint256 nonce);

    error Reputation_OutOfRange(address wallet, uint256 score, uint256 risk);
    error Reputation_BatchSize(uint256 size, uint256 max);
    error Reputation_NothingNew();

    /// @notice Writes up to 50 scores. Entries older than what is stored are skipped; a batch of nothing else is refused. Oracle.
    function setScores(Score[] calldata scores) external;

    /// @notice Whether a wallet meets the limits. A wallet without a score is not eligible.
    /// @param minScore In hundredths, as `score`.
    function checkEligibility(address wallet, uint256 minScore, uint256 maxRisk)
        external
        view
        returns (bool eligible, uint256 score, uint256 risk, bool bonded, uint256 updatedAt);

    function getScore(address wallet) external view returns (Score memory);
}
