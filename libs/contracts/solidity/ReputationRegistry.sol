// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IIdentityRegistry} from "./interfaces/IIdentityRegistry.sol";
import {IReputationRegistry} from "./interfaces/IReputationRegistry.sol";

/// @notice See {IReputationRegistry}.
contract ReputationRegistry is IReputationRegistry {
    int128 private constant MAX_VALUE = 1e38;
    uint8 private constant MAX_DECIMALS = 18;

    struct Feedback {
        int128 value;
        uint8 valueDecimals;
        bool isRevoked;
        string tag1;
        string tag2;
    }

    /// @dev The arguments of `giveFeedback`, in a struct because of the stack limit.
    struct Given {
        uint256 agentId;
        int128 value;
        uint8 valueDecimals;
        string tag1;
        string tag2;
        string endpoint;
        string feedbackURI;
        bytes32 feedbackHash;
    }

    /// @dev The criteria and the results of a walk over feedback, in a struct because of the stack limit.
    struct Query {
        uint256 agentId;
        address[] clients;
        bytes32 tag1;
        bytes32 tag2;
        bool includeRevoked;
    }

    struct All {
        address[] clients;
        uint64[] indexes;
        int128[] values;
        uint8[] decimals;
        string[] tag1s;
        string[] tag2s;
        bool[] revoked;
    }

    bytes32 private constant ANY_TAG = keccak256("");

    IIdentityRegistry private immutable _identity;

    mapping(uint256 agentId => mapping(address client => Feedback[])) private _feedback;
    mapping(uint256 agentId => address[]) private _clients;
    mapping(uint256 agentId => mapping(address client => mapping(uint64 index => mapping(address responder => uint64)))) private
        _responses;
    mapping(uint256 agentId => mapping(address client => mapping(uint64 index => address[]))) private _responders;

    constructor(IIdentityRegistry identity) {
        require(address(identity) != address(0), "bad identity");
        _identity = identity;
    }

    /// @inheritdoc IReputationRegistry
    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string calldata tag1,
        string calldata tag2,
        string calldata endpoint,
        string calldata feedbackURI,
        bytes32 feedbackHash
    ) external {
        Given memory given = Given(agentId, value, valueDecimals, tag1, tag2, endpoint, feedbackURI, feedbackHash);
        _announce(given, _store(given));
    }

    /// @inheritdoc IReputationRegistry
    function revokeFeedback(uint256 agentId, uint64 feedbackIndex) external {
        Feedback storage feedback = _at(agentId, msg.sender, feedbackIndex);
        require(!feedback.isRevoked, "Already revoked");
        feedback.isRevoked = true;
        emit FeedbackRevoked(agentId, msg.sender, feedbackIndex);
    }

    /// @inheritdoc IReputationRegistry
    function appendResponse(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex,
        string calldata responseURI,
        bytes32 responseHash
    ) external {
        _at(agentId, clientAddress, feedbackIndex);
        require(bytes(responseURI).length > 0, "Empty URI");
        if (_responses[agentId][clientAddress][feedbackIndex][msg.sender]++ == 0) {
            _responders[agentId][clientAddress][feedbackIndex].push(msg.sender);
        }
        emit ResponseAppended(agentId, clientAddress, feedbackIndex, msg.sender, responseURI, responseHash);
    }

    /// @inheritdoc IReputationRegistry
    function getIdentityRegistry() external view returns (address) {
        return address(_identity);
    }

    /// @inheritdoc IReputationRegistry
    function getSummary(uint256 agentId, address[] calldata clientAddresses, string calldata tag1, string calldata tag2)
        external
        view
        returns (uint64 count, int128 summaryValue, uint8 summaryValueDecimals)
    {
        require(clientAddresses.length > 0, "clientAddresses required");
        All memory all = _select(_query(agentId, clientAddresses, tag1, tag2, false));
        return _mean(all.values, all.decimals);
    }

    /// @inheritdoc IReputationRegistry
    function readFeedback(uint256 agentId, address clientAddress, uint64 feedbackIndex)
        external
        view
        returns (int128 value, uint8 valueDecimals, string memory tag1, string memory tag2, bool isRevoked)
    {
        Feedback storage f = _at(agentId, clientAddress, feedbackIndex);
        return (f.value, f.valueDecimals, f.tag1, f.tag2, f.isRevoked);
    }

    /// @inheritdoc IReputationRegistry
    function readAllFeedback(
        uint256 agentId,
        address[] memory clientAddresses,
        string memory tag1,
        string memory tag2,
        bool includeRevoked
    )
        external
        view
        returns (
            address[] memory clients,
            uint64[] memory feedbackIndexes,
            int128[] memory values,
            uint8[] memory valueDecimals,
            string[] memory tag1s,
            string[] memory tag2s,
            bool[] memory revokedStatuses
        )
    {
        if (clientAddresses.length == 0) clientAddresses = _clients[agentId];
        All memory all = _select(_query(agentId, clientAddresses, tag1, tag2, includeRevoked));
        return (all.clients, all.indexes, all.values, all.decimals, all.tag1s, all.tag2s, all.revoked);
    }

    /// @inheritdoc IReputationRegistry
    function getResponseCount(uint256 agentId, address clientAddress, uint64 feedbackIndex, address[] calldata responders)
        external
        view
        returns (uint64 count)
    {
        if (clientAddress != address(0)) return _countOfClient(agentId, clientAddress, feedbackIndex, responders);
        address[] storage clients = _clients[agentId];
        for (uint256 i = 0; i < clients.length; ++i) {
            count += _countOfClient(agentId, clients[i], 0, responders);
        }
    }

    /// @inheritdoc IReputationRegistry
    function getClients(uint256 agentId) external view returns (address[] memory) {
        return _clients[agentId];
    }

    /// @inheritdoc IReputationRegistry
    function getLastIndex(uint256 agentId, address clientAddress) public view returns (uint64) {
        return uint64(_feedback[agentId][clientAddress].length);
    }

    /// @inheritdoc IReputationRegistry
    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    function _store(Given memory given) private returns (uint64 index) {
        require(given.valueDecimals <= MAX_DECIMALS, "too many decimals");
        require(given.value >= -MAX_VALUE && given.value <= MAX_VALUE, "value too large");
        require(!_identity.isAuthorizedOrOwner(msg.sender, given.agentId), "Self-feedback not allowed");
        Feedback[] storage list = _feedback[given.agentId][msg.sender];
        if (list.length == 0) _clients[given.agentId].push(msg.sender);
        list.push(Feedback(given.value, given.valueDecimals, false, given.tag1, given.tag2));
        return uint64(list.length);
    }

    function _announce(Given memory given, uint64 index) private {
        emit NewFeedback(
            given.agentId,
            msg.sender,
            index,
            given.value,
            given.valueDecimals,
            given.tag1,
            given.tag1,
            given.tag2,
            given.endpoint,
            given.feedbackURI,
            given.feedbackHash
        );
    }

    function _at(uint256 agentId, address client, uint64 index) private view returns (Feedback storage) {
        require(index > 0, "index must be > 0");
        require(index <= getLastIndex(agentId, client), "index out of bounds");
        return _feedback[agentId][client][index - 1];
    }

    function _query(uint256 agentId, address[] memory clients, string memory tag1, string memory tag2, bool includeRevoked)
        private
        pure
        returns (Query memory)
    {
        return Query(agentId, clients, keccak256(bytes(tag1)), keccak256(bytes(tag2)), includeRevoked);
    }

    /// @dev Two walks: the first counts, because memory arrays do not grow.
    function _select(Query memory query) private view returns (All memory all) {
        uint256 size = 0;
        for (uint256 i = 0; i < query.clients.length; ++i) {
            Feedback[] storage list = _feedback[query.agentId][query.clients[i]];
            for (uint256 j = 0; j < list.length; ++j) {
                if (_matches(list[j], query)) ++size;
            }
        }
        all = All(
            new address[](size),
            new uint64[](size),
            new int128[](size),
            new uint8[](size),
            new string[](size),
            new string[](size),
            new bool[](size)
        );
        uint256 next = 0;
        for (uint256 i = 0; i < query.clients.length; ++i) {
            next = _gather(all, next, query, query.clients[i]);
        }
    }

    function _gather(All memory all, uint256 next, Query memory query, address client) private view returns (uint256) {
        Feedback[] storage list = _feedback[query.agentId][client];
        for (uint256 j = 0; j < list.length; ++j) {
            Feedback storage f = list[j];
            if (!_matches(f, query)) continue;
            all.clients[next] = client;
            all.indexes[next] = uint64(j + 1);
            all.values[next] = f.value;
            all.decimals[next] = f.valueDecimals;
            all.tag1s[next] = f.tag1;
            all.tag2s[next] = f.tag2;
            all.revoked[next] = f.isRevoked;
            ++next;
        }
        return next;
    }

    function _matches(Feedback storage f, Query memory query) private view returns (bool) {
        if (f.isRevoked && !query.includeRevoked) return false;
        if (query.tag1 != ANY_TAG && query.tag1 != keccak256(bytes(f.tag1))) return false;
        return query.tag2 == ANY_TAG || query.tag2 == keccak256(bytes(f.tag2));
    }

    /// @dev The mean at 18 decimals, scaled down to the decimals most used (the fewest among equals).
    function _mean(int128[] memory values, uint8[] memory decimals) private pure returns (uint64, int128, uint8) {
        if (values.length == 0) return (0, 0, 0);
        uint256[] memory uses = new uint256[](uint256(MAX_DECIMALS) + 1);
        int256 sum = 0;
        uint8 mode = decimals[0];
        for (uint256 i = 0; i < values.length; ++i) {
            sum += int256(values[i]) * int256(10 ** (MAX_DECIMALS - decimals[i]));
            ++uses[decimals[i]];
        }
        for (uint8 d = 0; d <= MAX_DECIMALS; ++d) {
            if (uses[d] > uses[mode] || (uses[d] == uses[mode] && d < mode)) mode = d;
        }
        int256 mean = sum / int256(values.length) / int256(10 ** (MAX_DECIMALS - mode));
        return (uint64(values.length), int128(mean), mode);
    }

    function _countOfClient(uint256 agentId, address client, uint64 index, address[] calldata responders)
        private
        view
        returns (uint64 count)
    {
        if (index != 0) return _countOfIndex(agentId, client, index, responders);
        uint64 last = getLastIndex(agentId, client);
        for (uint64 i = 1; i <= last; ++i) {
            count += _countOfIndex(agentId, client, i, responders);
        }
    }

    function _countOfIndex(uint256 agentId, address client, uint64 index, address[] calldata requested)
        private
        view
        returns (uint64 count)
    {
        address[] memory responders = requested;
        if (responders.length == 0) responders = _responders[agentId][client][index];
        for (uint256 i = 0; i < responders.length; ++i) {
            count += _responses[agentId][client][index][responders[i]];
        }
    }
}
