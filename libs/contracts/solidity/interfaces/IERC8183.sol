// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ERC-8183 agentic commerce: functions, events and errors as the ERC and its authors' contracts name them
interface IERC8183 {
    enum JobStatus {
        Open,
        Funded,
        Submitted,
        Completed,
        Rejected,
        Expired
    }

    /// @dev The first nine fields are the ERC text's; the rest is what the authors' contracts append.
    /// @param budget Smallest units of the token.
    /// @param expiredAt Unix seconds.
    /// @param submittedAt Unix seconds.
    struct Job {
        uint256 id;
        address client;
        address provider;
        address evaluator;
        string description;
        uint256 budget;
        uint256 expiredAt;
        JobStatus status;
        address hook;
        address paymentToken;
        uint256 providerAgentId;
        uint256 submittedAt;
    }

    /// @param expiredAt Unix seconds.
    event JobCreated(
        uint256 indexed jobId,
        address indexed client,
        address indexed provider,
        address evaluator,
        uint256 expiredAt,
        address hook
    );
    event ProviderSet(uint256 indexed jobId, address indexed provider);
    /// @param amount Smallest units of the token.
    event BudgetSet(uint256 indexed jobId, uint256 amount);
    /// @param amount Smallest units of the token.
    event JobFunded(uint256 indexed jobId, address indexed client, uint256 amount);
    event JobSubmitted(uint256 indexed jobId, address indexed provider, bytes32 deliverable);
    event JobCompleted(uint256 indexed jobId, address indexed evaluator, bytes32 reason);
    event JobRejected(uint256 indexed jobId, address indexed rejector, bytes32 reason);
    event JobExpired(uint256 indexed jobId);
    /// @param amount Smallest units of the token.
    event PaymentReleased(uint256 indexed jobId, address indexed provider, uint256 amount);
    /// @param amount Smallest units of the token.
    event Refunded(uint256 indexed jobId, address indexed client, uint256 amount);
    /// @param amount Smallest units of the token.
    event PlatformFeePaid(uint256 indexed jobId, address indexed recipient, uint256 amount);

    error InvalidJob();
    error InvalidHook();
    error WrongStatus();
    error Unauthorized();
    error ZeroAddress();
    error ExpiryTooShort();
    error ZeroBudget();
    error ProviderNotSet();
    error BudgetMismatch();
    error ProviderCannotBeEvaluator();
    error GracePeriodActive();

    /// @notice Opens a job of the caller. The provider may be zero; hooks are not supported.
    /// @param expiredAt Unix seconds, more than five minutes ahead.
    function createJob(address provider, address evaluator, uint256 expiredAt, string calldata description, address hook)
        external
        returns (uint256 jobId);

    /// @notice The same as the authors' contracts declare it.
    /// @param expiredAt Unix seconds, more than five minutes ahead.
    /// @param providerAgentId ERC-8004 id of the provider, or zero; stored as given.
    function createJob(
        address provider,
        address evaluator,
        uint256 expiredAt,
        string calldata description,
        address hook,
        uint256 providerAgentId
    ) external returns (uint256 jobId);

    /// @notice Names the provider of an open job that has none. Client.
    function setProvider(uint256 jobId, address provider) external;

    /// @notice The same as the authors' contracts declare it.
    /// @param agentId ERC-8004 id of the provider, or zero; stored as given.
    function setProvider(uint256 jobId, address provider, uint256 agentId) external;

    function setProvider(uint256 jobId, address provider, bytes calldata optParams) external;

    /// @notice Sets the budget of an open job into which nothing was paid. Client or provider.
    /// @param amount Smallest units of the token.
    function setBudget(uint256 jobId, uint256 amount, bytes calldata optParams) external;

    /// @notice The same as the authors' contracts declare it.
    /// @param token The payment token; no other one is accepted.
    /// @param amount Smallest units of the token.
    function setBudget(uint256 jobId, address token, uint256 amount, bytes calldata optParams) external;

    /// @notice Pays the budget in from the client's allowance, if it was not paid in before. Client.
    function fund(uint256 jobId, bytes calldata optParams) external;

    /// @param expectedBudget Smallest units of the token.
    function fund(uint256 jobId, uint256 expectedBudget, bytes calldata optParams) external;

    /// @notice Hands in the deliverable's hash. Provider, before expiry.
    function submit(uint256 jobId, bytes32 deliverable, bytes calldata optParams) external;

    /// @notice Pays the provider what remains after the fee. Evaluator.
    function complete(uint256 jobId, bytes32 reason, bytes calldata optParams) external;

    /// @notice Ends the job and pays back: the client while it is open, the evaluator once it is funded.
    function reject(uint256 jobId, bytes32 reason, bytes calldata optParams) external;

    /// @notice Ends the job after its expiry, and an hour after a submission, and pays back. Anybody.
    function claimRefund(uint256 jobId) external;

    function jobCounter() external view returns (uint256);

    function getJob(uint256 jobId) external view returns (Job memory);

    /// @return In basis points.
    function platformFeeBP() external view returns (uint256);

    function paymentToken() external view returns (address);
}
