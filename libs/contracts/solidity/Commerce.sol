// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {Managed, Roles} from "./access/Managed.sol";
import {ICommerce} from "./interfaces/ICommerce.sol";
import {IERC8183} from "./interfaces/IERC8183.sol";
import {Authorization, IUSDC} from "./interfaces/IUSDC.sol";
import {Funds} from "./libraries/Funds.sol";

/// @notice See {ICommerce}.
contract Commerce is ICommerce, Managed, ReentrancyGuard {
    using Funds for IUSDC;
    using SafeCast for uint256;
    using SafeERC20 for IUSDC;

    uint256 private constant FEE_BP = 300;
    uint256 private constant MIN_DURATION = 5 minutes;
    uint256 private constant EVALUATION_GRACE_PERIOD = 1 hours;

    IUSDC private immutable _usdc;
    address private immutable _feeRecipient;

    uint256 private _jobCounter;
    uint256 private _totalDeposits;
    mapping(uint256 jobId => Job) private _jobs;
    mapping(uint256 jobId => Deposit) private _deposits;
    mapping(uint256 jobId => bool) private _disputed;
    mapping(bytes32 salt => uint256 jobId) private _jobOfSalt;
    mapping(uint256 jobId => bytes32 salt) private _saltOf;

    constructor(Roles memory roles, IUSDC usdc_, address feeRecipient_) Managed(roles) {
        _usdc = usdc_;
        _feeRecipient = feeRecipient_;
        _grantOperators(roles);
    }

    /// @inheritdoc IERC8183
    function createJob(address provider, address evaluator, uint256 expiredAt, string calldata description, address hook)
        external
        whenNotPaused
        returns (uint256 jobId)
    {
        jobId = _createDirect(provider, evaluator, expiredAt, description, hook);
    }

    /// @inheritdoc IERC8183
    function createJob(
        address provider,
        address evaluator,
        uint256 expiredAt,
        string calldata description,
        address hook,
        uint256 providerAgentId
    ) external whenNotPaused returns (uint256 jobId) {
        jobId = _createDirect(provider, evaluator, expiredAt, description, hook);
        _jobs[jobId].providerAgentId = providerAgentId;
    }

    /// @inheritdoc ICommerce
    function createJobFor(
        address client,
        address evaluator,
        uint256 budget,
        uint256 expiredAt,
        string calldata description,
        bytes32 salt
    ) external whenNotPaused onlyRole(OPERATOR_ROLE) returns (uint256 jobId) {
        require(_jobOfSalt[salt] == 0, Commerce_SaltUsed(salt, _jobOfSalt[salt]));
        require(client != address(0), ZeroAddress());
        require(budget > 0, ZeroBudget());
        jobId = _create(client, address(0), evaluator, expiredAt, description);
        _jobOfSalt[salt] = jobId;
        _saltOf[jobId] = salt;
        _jobs[jobId].budget = budget;
        emit JobCreated(bytes32(jobId), client, budget);
        emit BudgetSet(jobId, budget);
    }

    /// @inheritdoc IERC8183
    function setProvider(uint256 jobId, address provider) external {
        _setProvider(jobId, provider);
    }

    /// @inheritdoc IERC8183
    function setProvider(uint256 jobId, address provider, bytes calldata) external {
        _setProvider(jobId, provider);
    }

    /// @inheritdoc IERC8183
    function setProvider(uint256 jobId, address provider, uint256 agentId) external {
        _setProvider(jobId, provider);
        _jobs[jobId].providerAgentId = agentId;
    }

    /// @inheritdoc IERC8183
    function setBudget(uint256 jobId, uint256 amount, bytes calldata) external {
        _setBudget(jobId, amount);
    }

    /// @inheritdoc IERC8183
    function setBudget(uint256 jobId, address token, uint256 amount, bytes calldata) external {
        require(token == address(_usdc), Commerce_TokenNotAccepted(token));
        _setBudget(jobId, amount);
    }

    /// @inheritdoc IERC8183
    function fund(uint256 jobId, bytes calldata) external nonReentrant whenNotPaused {
        _fund(jobId, _jobs[jobId].budget);
    }

    /// @inheritdoc IERC8183
    function fund(uint256 jobId, uint256 expectedBudget, bytes calldata) external nonReentrant whenNotPaused {
        _fund(jobId, expectedBudget);
    }

    /// @inheritdoc ICommerce
    function prefund(bytes32 key, uint256 amount) external nonReentrant whenNotPaused {
        uint256 jobId = _jobOf(key);
        address client = _known(jobId).client;
        require(msg.sender == client || hasRole(OPERATOR_ROLE, msg.sender), Unauthorized());
        _payIn(jobId, client, amount);
        _usdc.pull({from: client, amount: amount});
    }

    /// @inheritdoc ICommerce
    function prefundWithAuthorization(bytes32 key, uint256 amount, Authorization calldata auth)
        external
        nonReentrant
        whenNotPaused
        onlyRole(OPERATOR_ROLE)
    {
        _payIn(_jobOf(key), auth.from, amount);
        _usdc.pullSigned({auth: auth, amount: amount, nonce: key});
    }

    /// @inheritdoc ICommerce
    function assign(bytes32 key, address provider) external onlyRole(OPERATOR_ROLE) {
        uint256 jobId = _jobOf(key);
        Job storage job = _inStatus(jobId, JobStatus.Open);
        require(_deposits[jobId].amount > 0, ZeroBudget());
        if (job.provider == address(0)) _nameProvider(job, provider);
        require(job.provider == provider, Commerce_ProviderTaken(jobId, job.provider));
        _markFunded(job);
    }

    /// @inheritdoc IERC8183
    function submit(uint256 jobId, bytes32 deliverable, bytes calldata) external {
        require(msg.sender == _known(jobId).provider, Unauthorized());
        _submit(jobId, deliverable);
    }

    /// @inheritdoc ICommerce
    function submitFor(bytes32 key, bytes32 deliverable) external onlyRole(OPERATOR_ROLE) {
        _submit(_jobOf(key), deliverable);
    }

    /// @inheritdoc IERC8183
    function complete(uint256 jobId, bytes32 reason, bytes calldata) external nonReentrant {
        Job storage job = _inStatus(jobId, JobStatus.Submitted);
        require(msg.sender == job.evaluator, Unauthorized());
        address provider = job.provider;
        uint256 amount = _empty(jobId, JobStatus.Completed).amount;
        uint256 fee = (amount * FEE_BP + 5_000) / 10_000;
        emit JobCompleted(jobId, msg.sender, reason);
        emit PlatformFeePaid(jobId, _feeRecipient, fee);
        emit PaymentReleased(jobId, provider, amount - fee);
        emit JobSettled(bytes32(jobId), provider, amount - fee);
        _usdc.safeTransfer({to: _feeRecipient, value: fee});
        _usdc.safeTransfer({to: provider, value: amount - fee});
    }

    /// @inheritdoc IERC8183
    function reject(uint256 jobId, bytes32 reason, bytes calldata) external nonReentrant {
        Job storage job = _known(jobId);
        JobStatus status = job.status;
        address rejector = status == JobStatus.Open ? job.client : job.evaluator;
        require(status <= JobStatus.Submitted, WrongStatus());
        require(msg.sender == rejector, Unauthorized());
        if (status == JobStatus.Open) _withdraw(jobId, rejector, reason);
        else _reject(jobId, rejector, reason);
    }

    /// @inheritdoc ICommerce
    function withdrawFor(bytes32 key, bytes32 reason) external nonReentrant onlyRole(OPERATOR_ROLE) {
        uint256 jobId = _jobOf(key);
        _withdraw(jobId, _inStatus(jobId, JobStatus.Open).client, reason);
    }

    /// @inheritdoc IERC8183
    function claimRefund(uint256 jobId) external nonReentrant {
        Job storage job = _known(jobId);
        require(job.status <= JobStatus.Submitted && block.timestamp >= job.expiredAt, WrongStatus());
        bool inGrace = job.status == JobStatus.Submitted && block.timestamp < job.submittedAt + EVALUATION_GRACE_PERIOD;
        require(!inGrace, GracePeriodActive());
        Deposit memory paid = _empty(jobId, JobStatus.Expired);
        emit JobExpired(jobId);
        emit JobCancelled(bytes32(jobId));
        _payBack(jobId, paid);
    }

    /// @inheritdoc ICommerce
    function flagDispute(bytes32 key, address disputer) external {
        uint256 jobId = _jobOf(key);
        Job storage job = _inStatus(jobId, JobStatus.Submitted);
        require(msg.sender == disputer || hasRole(OPERATOR_ROLE, msg.sender), Unauthorized());
        bool isParty = disputer == job.client || disputer == job.provider;
        bool isPlatform = disputer == job.evaluator && hasRole(OPERATOR_ROLE, msg.sender);
        require(isParty || isPlatform, Commerce_NotParty(disputer));
        require(!_disputed[jobId], Commerce_AlreadyDisputed(jobId));
        _disputed[jobId] = true;
        emit JobDisputed(bytes32(jobId), disputer);
    }

    /// @inheritdoc IERC8183
    function jobCounter() external view returns (uint256) {
        return _jobCounter;
    }

    /// @inheritdoc IERC8183
    function getJob(uint256 jobId) external view returns (Job memory) {
        return _known(jobId);
    }

    /// @inheritdoc IERC8183
    function platformFeeBP() external pure returns (uint256) {
        return FEE_BP;
    }

    /// @inheritdoc IERC8183
    function paymentToken() external view returns (address) {
        return address(_usdc);
    }

    /// @inheritdoc ICommerce
    function jobOf(bytes32 key) external view returns (uint256) {
        return _jobOf(key);
    }

    /// @inheritdoc ICommerce
    function keyOf(uint256 jobId) external view returns (bytes32) {
        _known(jobId);
        bytes32 salt = _saltOf[jobId];
        return salt == bytes32(0) ? bytes32(jobId) : salt;
    }

    /// @inheritdoc ICommerce
    function jobByKey(bytes32 key) external view returns (Job memory) {
        return _known(_jobOf(key));
    }

    /// @inheritdoc ICommerce
    function depositOf(bytes32 key) external view returns (Deposit memory) {
        return _deposits[_jobOf(key)];
    }

    /// @inheritdoc ICommerce
    function isDisputed(bytes32 key) external view returns (bool) {
        return _disputed[_jobOf(key)];
    }

    /// @inheritdoc ICommerce
    function totalDeposits() external view returns (uint256) {
        return _totalDeposits;
    }

    /// @inheritdoc ICommerce
    function feeRecipient() external view returns (address) {
        return _feeRecipient;
    }

    function _create(address client, address provider, address evaluator, uint256 expiredAt, string calldata description)
        private
        returns (uint256 jobId)
    {
        require(evaluator != address(0), ZeroAddress());
        require(expiredAt > block.timestamp + MIN_DURATION, ExpiryTooShort());
        jobId = ++_jobCounter;
        Job storage job = _jobs[jobId];
        job.id = jobId;
        job.client = client;
        job.provider = provider;
        job.evaluator = evaluator;
        job.description = description;
        job.expiredAt = expiredAt;
        job.paymentToken = address(_usdc);
        emit JobCreated(jobId, client, provider, evaluator, expiredAt, address(0));
    }

    function _createDirect(address provider, address evaluator, uint256 expiredAt, string calldata description, address hook)
        private
        returns (uint256 jobId)
    {
        require(hook == address(0), InvalidHook());
        require(provider != evaluator, ProviderCannotBeEvaluator());
        jobId = _create(msg.sender, provider, evaluator, expiredAt, description);
        emit JobCreated(bytes32(jobId), msg.sender, 0);
    }

    function _setBudget(uint256 jobId, uint256 amount) private {
        Job storage job = _inStatus(jobId, JobStatus.Open);
        require(msg.sender == job.client || msg.sender == job.provider, Unauthorized());
        require(_deposits[jobId].amount == 0, Commerce_AlreadyPaidIn(jobId));
        job.budget = amount;
        emit BudgetSet(jobId, amount);
    }

    function _setProvider(uint256 jobId, address provider) private {
        Job storage job = _inStatus(jobId, JobStatus.Open);
        require(msg.sender == job.client, Unauthorized());
        require(job.provider == address(0), Commerce_ProviderTaken(jobId, job.provider));
        _nameProvider(job, provider);
    }

    function _nameProvider(Job storage job, address provider) private {
        require(provider != address(0), ZeroAddress());
        require(provider != job.evaluator, ProviderCannotBeEvaluator());
        job.provider = provider;
        emit ProviderSet(job.id, provider);
    }

    function _fund(uint256 jobId, uint256 expectedBudget) private {
        Job storage job = _inStatus(jobId, JobStatus.Open);
        require(msg.sender == job.client, Unauthorized());
        require(job.provider != address(0), ProviderNotSet());
        require(job.budget == expectedBudget, BudgetMismatch());
        bool isPaid = _deposits[jobId].amount > 0;
        if (!isPaid) _payIn(jobId, msg.sender, expectedBudget);
        _markFunded(job);
        if (!isPaid) _usdc.pull({from: msg.sender, amount: expectedBudget});
    }

    /// @dev Books the deposit; the caller moves the tokens.
    function _payIn(uint256 jobId, address payer, uint256 amount) private {
        Job storage job = _inStatus(jobId, JobStatus.Open);
        _requireRunning(job);
        require(_deposits[jobId].amount == 0, Commerce_AlreadyPaidIn(jobId));
        require(amount > 0, ZeroBudget());
        require(job.budget == amount, BudgetMismatch());
        _deposits[jobId] = Deposit({payer: payer, amount: amount.toUint96()});
        _totalDeposits += amount;
        emit JobFunded(bytes32(jobId), payer);
    }

    function _markFunded(Job storage job) private {
        _requireRunning(job);
        job.status = JobStatus.Funded;
        emit JobFunded(job.id, job.client, job.budget);
        emit JobAssigned(bytes32(job.id), job.provider);
    }

    function _submit(uint256 jobId, bytes32 deliverable) private {
        Job storage job = _inStatus(jobId, JobStatus.Funded);
        _requireRunning(job);
        job.status = JobStatus.Submitted;
        job.submittedAt = block.timestamp;
        emit JobSubmitted(jobId, job.provider, deliverable);
        emit JobSubmitted(bytes32(jobId), deliverable);
    }

    function _withdraw(uint256 jobId, address client, bytes32 reason) private {
        Deposit memory paid = _empty(jobId, JobStatus.Rejected);
        emit JobRejected(jobId, client, reason);
        emit JobCancelled(bytes32(jobId));
        _payBack(jobId, paid);
    }

    function _reject(uint256 jobId, address evaluator, bytes32 reason) private {
        Deposit memory paid = _empty(jobId, JobStatus.Rejected);
        emit JobRejected(jobId, evaluator, reason);
        emit JobRejected(bytes32(jobId), evaluator);
        _payBack(jobId, paid);
    }

    /// @dev Ends the job: what was paid in leaves the books and has to be paid out by the caller.
    function _empty(uint256 jobId, JobStatus end) private returns (Deposit memory paid) {
        paid = _deposits[jobId];
        delete _deposits[jobId];
        _totalDeposits -= paid.amount;
        _jobs[jobId].status = end;
    }

    function _payBack(uint256 jobId, Deposit memory paid) private {
        if (paid.amount == 0) return;
        emit Refunded(jobId, paid.payer, paid.amount);
        _usdc.safeTransfer({to: paid.payer, value: paid.amount});
    }

    /// @dev From its expiry on a job can only be ended.
    function _requireRunning(Job storage job) private view {
        require(block.timestamp < job.expiredAt, WrongStatus());
    }

    /// @dev The number of a job that was created with a salt is no key: a reorganisation may give it to another job.
    function _jobOf(bytes32 key) private view returns (uint256 jobId) {
        jobId = _jobOfSalt[key];
        if (jobId != 0) return jobId;
        jobId = uint256(key);
        bool isDirect = _jobs[jobId].id != 0 && _saltOf[jobId] == bytes32(0);
        return isDirect ? jobId : 0;
    }

    function _known(uint256 jobId) private view returns (Job storage job) {
        job = _jobs[jobId];
        require(job.id != 0, InvalidJob());
    }

    function _inStatus(uint256 jobId, JobStatus status) private view returns (Job storage job) {
        job = _known(jobId);
        require(job.status == status, WrongStatus());
    }
}
