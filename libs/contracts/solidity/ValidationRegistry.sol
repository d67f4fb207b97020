// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IIdentityRegistry} from "./interfaces/IIdentityRegistry.sol";
import {IValidationRegistry} from "./interfaces/IValidationRegistry.sol";

/// @notice See {IValidationRegistry}.
contract ValidationRegistry is IValidationRegistry {
    uint8 private constant MAX_RESPONSE = 100;

    struct Request {
        address validator;
        uint40 lastUpdate;
        uint8 response;
        bool answered;
        uint256 agentId;
        bytes32 responseHash;
        string tag;
    }

    IIdentityRegistry private immutable _identity;

    mapping(bytes32 requestHash => Request) private _requests;
    mapping(uint256 agentId => bytes32[]) private _ofAgent;
    mapping(address validator => bytes32[]) private _ofValidator;

    constructor(IIdentityRegistry identity) {
        require(address(identity) != address(0), "bad identity");
        _identity = identity;
    }

    /// @inheritdoc IValidationRegistry
    function validationRequest(address validatorAddress, uint256 agentId, string calldata requestURI, bytes32 requestHash) external {
        require(validatorAddress != address(0), "bad validator");
        require(_requests[requestHash].validator == address(0), "exists");
        require(_identity.isAuthorizedOrOwner(msg.sender, agentId), "Not authorized");
        Request storage request = _requests[requestHash];
        request.validator = validatorAddress;
        request.agentId = agentId;
        request.lastUpdate = uint40(block.timestamp);
        _ofAgent[agentId].push(requestHash);
        _ofValidator[validatorAddress].push(requestHash);
        emit ValidationRequest(validatorAddress, agentId, requestURI, requestHash);
    }

    /// @inheritdoc IValidationRegistry
    function validationResponse(
        bytes32 requestHash,
        uint8 response,
        string calldata responseURI,
        bytes32 responseHash,
        string calldata tag
    ) external {
        Request storage request = _known(requestHash);
        require(request.validator == msg.sender, "not validator");
        require(response <= MAX_RESPONSE, "resp>100");
        request.response = response;
        request.responseHash = responseHash;
        request.tag = tag;
        request.lastUpdate = uint40(block.timestamp);
        request.answered = true;
        emit ValidationResponse(msg.sender, request.agentId, requestHash, response, responseURI, responseHash, tag);
    }

    /// @inheritdoc IValidationRegistry
    function getIdentityRegistry() external view returns (address) {
        return address(_identity);
    }

    /// @inheritdoc IValidationRegistry
    function getValidationStatus(bytes32 requestHash)
        external
        view
        returns (
            address validatorAddress,
            uint256 agentId,
            uint8 response,
            bytes32 responseHash,
            string memory tag,
            uint256 lastUpdate
        )
    {
        Request storage request = _known(requestHash);
        return (
            request.validator, request.agentId, request.response, request.responseHash, request.tag, request.lastUpdate
        );
    }

    /// @inheritdoc IValidationRegistry
    function getSummary(uint256 agentId, address[] calldata validatorAddresses, string calldata tag)
        external
        view
        returns (uint64 count, uint8 avgResponse)
    {
        bytes32[] storage hashes = _ofAgent[agentId];
        bytes32 tagHash = keccak256(bytes(tag));
        uint256 sum = 0;
        for (uint256 i = 0; i < hashes.length; ++i) {
            Request storage request = _requests[hashes[i]];
            if (!request.answered || !_isIn(request.validator, validatorAddresses)) continue;
            if (bytes(tag).length > 0 && keccak256(bytes(request.tag)) != tagHash) continue;
            sum += request.response;
            ++count;
        }
        avgResponse = count == 0 ? 0 : uint8(sum / count);
    }

    /// @inheritdoc IValidationRegistry
    function getAgentValidations(uint256 agentId) external view returns (bytes32[] memory) {
        return _ofAgent[agentId];
    }

    /// @inheritdoc IValidationRegistry
    function getValidatorRequests(address validatorAddress) external view returns (bytes32[] memory) {
        return _ofValidator[validatorAddress];
    }

    /// @inheritdoc IValidationRegistry
    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    function _known(bytes32 requestHash) private view returns (Request storage request) {
        request = _requests[requestHash];
        require(request.validator != address(0), "unknown");
    }

    function _isIn(address account, address[] calldata list) private pure returns (bool) {
        for (uint256 i = 0; i < list.length; ++i) {
            if (list[i] == account) return true;
        }
        return list.length == 0;
    }
}
