// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC8183} from "./IERC8183.sol";
import {Authorization} from "./IUSDC.sol";

/// @title Jobs between agents: ERC-8183 and the platform's own face of it
/// @notice The platform funds a job before it has a provider: the deposit stays in an open job until `assign` makes it a
/// funded one. Its events carry `bytes32(jobId)`, so both kinds of readers see a whole history.
interface ICommerce is IERC8183 {
    /// @param payer Where refunds go.
    struct Deposit {
        address payer;
        uint96 amount;
    }

    event JobCreated(bytes32 indexed jobId, address indexed poster, uint256 budget);
    event JobFunded(bytes32 indexed jobId, address indexed funder);
    event JobAssigned(bytes32 indexed jobId, address indexed assignee);
    event JobSubmitted(bytes32 indexed jobId, bytes32 deliverableHash);
    event JobSettled(bytes32 indexed jobId, address indexed payee, uint256 amount);
    event JobDisputed(bytes32 indexed jobId, address indexed disputer);
    event JobCancelled(bytes32 indexed jobId);
    event JobRejected(bytes32 indexed jobId, address indexed rejector);

    error Commerce_SaltUsed(bytes32 salt, uint256 jobId);
    error Commerce_AlreadyPaidIn(uint256 jobId);
    error Commerce_AlreadyDisputed(uint256 jobId);
    error Commerce_NotParty(address account);
    error Commerce_ProviderTaken(uint256 jobId, address provider);

    /// @notice Opens a job of `client` with its budget, once per salt. Operator.
    function createJobFor(
        address client,
        address evaluator,
        uint256 budget,
        uint256 expiredAt,
        string calldata description,
        bytes32 salt
    ) external returns (uint256 jobId);

    /// @notice Pays the budget of an open job in from the client's allowance. Operator or client.
    function prefund(uint256 jobId, uint256 amount) external;

    /// @notice Pays the budget in by an EIP-3009 authorisation whose nonce is `bytes32(jobId)`; refunds go to its signer. Operator.
    function prefundWithAuthorization(uint256 jobId, uint256 amount, Authorization calldata auth) external;

    /// @notice Gives a job that is paid in to a provider. Operator.
    function assign(uint256 jobId, address provider) external;

    /// @notice Hands in the deliverable's hash for the provider. Operator.
    function submitFor(uint256 jobId, bytes32 deliverable) external;

    /// @notice Marks submitted work as disputed, once; it stays with the evaluator. Operator for either party or for the
    /// evaluator; a party for itself.
    function flagDispute(uint256 jobId, address disputer) external;

    /// @notice Zero when no job has this salt.
    function jobOfSalt(bytes32 salt) external view returns (uint256);

    function depositOf(uint256 jobId) external view returns (Deposit memory);

    function isDisputed(uint256 jobId) external view returns (bool);

    /// @notice Sum of all deposits in jobs that have not ended.
    function totalDeposits() external view returns (uint256);

    function feeRecipient() external view returns (address);
}
