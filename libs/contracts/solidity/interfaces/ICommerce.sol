// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC8183} from "./IERC8183.sol";
import {Authorization} from "./IUSDC.sol";

/// @title Jobs between agents: ERC-8183 and the platform's own face of it
/// @notice The platform funds a job before it has a provider: the deposit stays in an open job until `assign` makes it a
/// funded one. Its events carry `bytes32(jobId)`, so both kinds of readers see a whole history.
/// @dev The platform's calls name a job by its key: the salt that it was created with, else `bytes32(jobId)`. A transaction
/// that a reorganisation includes again so never reaches another job, also where the jobs have other numbers by then.
interface ICommerce is IERC8183 {
    /// @param payer Where refunds go.
    /// @param amount In micro-USDC.
    struct Deposit {
        address payer;
        uint96 amount;
    }

    /// @param budget In micro-USDC.
    event JobCreated(bytes32 indexed jobId, address indexed poster, uint256 budget);
    event JobFunded(bytes32 indexed jobId, address indexed funder);
    event JobAssigned(bytes32 indexed jobId, address indexed assignee);
    event JobSubmitted(bytes32 indexed jobId, bytes32 deliverableHash);
    /// @param amount In micro-USDC.
    event JobSettled(bytes32 indexed jobId, address indexed payee, uint256 amount);
    event JobDisputed(bytes32 indexed jobId, address indexed disputer);
    event JobCancelled(bytes32 indexed jobId);
    event JobRejected(bytes32 indexed jobId, address indexed rejector);

    error Commerce_SaltUsed(bytes32 salt, uint256 jobId);
    error Commerce_AlreadyPaidIn(uint256 jobId);
    error Commerce_AlreadyDisputed(uint256 jobId);
    error Commerce_NotParty(address account);
    error Commerce_ProviderTaken(uint256 jobId, address provider);
    error Commerce_TokenNotAccepted(address token);

    /// @notice Opens a job of `client` with its budget, once per salt. Operator.
    /// @param budget In micro-USDC.
    /// @param expiredAt Unix seconds.
    function createJobFor(
        address client,
        address evaluator,
        uint256 budget,
        uint256 expiredAt,
        string calldata description,
        bytes32 salt
    ) external returns (uint256 jobId);

    /// @notice Pays the budget of an open job in from the client's allowance. Operator or client.
    /// @param amount In micro-USDC.
    function prefund(bytes32 key, uint256 amount) external;

    /// @notice Pays the budget in by an EIP-3009 authorisation whose nonce is the key; refunds go to its signer. Operator.
    /// @param amount In micro-USDC.
    function prefundWithAuthorization(bytes32 key, uint256 amount, Authorization calldata auth) external;

    /// @notice Gives a job that is paid in to a provider. Operator.
    function assign(bytes32 key, address provider) external;

    /// @notice Hands in the deliverable's hash for the provider. Operator.
    function submitFor(bytes32 key, bytes32 deliverable) external;

    /// @notice Ends an open job in its client's name; what is paid in goes back. Operator.
    function withdrawFor(bytes32 key, bytes32 reason) external;

    /// @notice Marks submitted work as disputed, once; it stays with the evaluator. Operator for either party or for the
    /// evaluator; a party for itself.
    function flagDispute(bytes32 key, address disputer) external;

    /// @notice Zero when no job has this key.
    function jobOf(bytes32 key) external view returns (uint256 jobId);

    function keyOf(uint256 jobId) external view returns (bytes32 key);

    function jobByKey(bytes32 key) external view returns (Job memory);

    function depositOf(bytes32 key) external view returns (Deposit memory);

    function isDisputed(bytes32 key) external view returns (bool);

    /// @notice Sum of all deposits in jobs that have not ended.
    /// @return In micro-USDC.
    function totalDeposits() external view returns (uint256);

    function feeRecipient() external view returns (address);
}
