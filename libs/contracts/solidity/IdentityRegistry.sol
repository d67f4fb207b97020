// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Managed, Roles} from "./access/Managed.sol";
import {IIdentityRegistry} from "./interfaces/IIdentityRegistry.sol";

/// @notice See {IIdentityRegistry}.
contract IdentityRegistry is IIdentityRegistry, ERC721URIStorage, EIP712, Managed {
    bytes32 private constant WALLET_TYPEHASH =
        keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)");
    bytes32 private constant WALLET_KEY_HASH = keccak256("agentWallet");
    string private constant WALLET_KEY = "agentWallet";
    uint256 private constant MAX_DEADLINE_DELAY = 5 minutes;

    uint256 private _nextId;
    mapping(uint256 agentId => mapping(string key => bytes value)) private _metadata;
    /// @dev Token id plus one: zero means that the key is free.
    mapping(bytes32 agentKey => uint256) private _idOfKey;

    constructor(Roles memory roles)
        ERC721("AgentIdentity", "AGENT")
        EIP712("ERC8004IdentityRegistry", "1")
        Managed(roles)
    {
        _grantOperators(roles);
    }

    /// @inheritdoc IIdentityRegistry
    function register() external returns (uint256 agentId) {
        return _register(msg.sender, "");
    }

    /// @inheritdoc IIdentityRegistry
    function register(string memory agentURI) external returns (uint256 agentId) {
        return _register(msg.sender, agentURI);
    }

    /// @inheritdoc IIdentityRegistry
    function register(string memory agentURI, MetadataEntry[] memory metadata) external returns (uint256 agentId) {
        agentId = _register(msg.sender, agentURI);
        for (uint256 i = 0; i < metadata.length; ++i) {
            _requireFreeKey(metadata[i].metadataKey);
            _setMetadata(agentId, metadata[i].metadataKey, metadata[i].metadataValue);
        }
    }

    /// @inheritdoc IIdentityRegistry
    function registerFor(address owner, bytes32 agentKey, string memory agentURI)
        external
        onlyRole(OPERATOR_ROLE)
        returns (uint256 agentId)
    {
        uint256 known = _idOfKey[agentKey];
        if (known != 0) revert Identity_KeyTaken(agentKey, known - 1);
        agentId = _register(owner, agentURI);
        _idOfKey[agentKey] = agentId + 1;
        emit AgentKeyRegistered(agentKey, agentId, owner);
    }

    /// @inheritdoc IIdentityRegistry
    function setAgentURI(uint256 agentId, string calldata newURI) external {
        _requireAuthorized(agentId);
        _setTokenURI(agentId, newURI);
        emit URIUpdated(agentId, newURI, msg.sender);
    }

    /// @inheritdoc IIdentityRegistry
    function setMetadata(uint256 agentId, string memory metadataKey, bytes memory metadataValue) external {
        _requireAuthorized(agentId);
        _requireFreeKey(metadataKey);
        _setMetadata(agentId, metadataKey, metadataValue);
    }

    /// @inheritdoc IIdentityRegistry
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature) external {
        _requireAuthorized(agentId);
        require(newWallet != address(0), "bad wallet");
        require(block.timestamp <= deadline, "expired");
        require(deadline <= block.timestamp + MAX_DEADLINE_DELAY, "deadline too far");
        bytes32 structHash = keccak256(abi.encode(WALLET_TYPEHASH, agentId, newWallet, ownerOf(agentId), deadline));
        require(SignatureChecker.isValidSignatureNow(newWallet, _hashTypedDataV4(structHash), signature), "invalid wallet sig");
        _setMetadata(agentId, WALLET_KEY, abi.encodePacked(newWallet));
    }

    /// @inheritdoc IIdentityRegistry
    function unsetAgentWallet(uint256 agentId) external {
        _requireAuthorized(agentId);
        _setMetadata(agentId, WALLET_KEY, "");
    }

    /// @inheritdoc IIdentityRegistry
    function getMetadata(uint256 agentId, string memory metadataKey) external view returns (bytes memory) {
        return _metadata[agentId][metadataKey];
    }

    /// @inheritdoc IIdentityRegistry
    function getAgentWallet(uint256 agentId) external view returns (address) {
        return address(bytes20(_metadata[agentId][WALLET_KEY]));
    }

    /// @inheritdoc IIdentityRegistry
    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool) {
        return _isAuthorized(_requireOwned(agentId), spender, agentId);
    }

    /// @inheritdoc IIdentityRegistry
    function getVersion() external pure returns (string memory) {
        return "2.0.0";
    }

    /// @inheritdoc IIdentityRegistry
    function agentOfKey(bytes32 agentKey) external view returns (bool registered, uint256 agentId) {
        uint256 known = _idOfKey[agentKey];
        return known == 0 ? (false, 0) : (true, known - 1);
    }

    function supportsInterface(bytes4 interfaceId)
        public
        view
        override(ERC721URIStorage, AccessControlDefaultAdminRules)
        returns (bool)
    {
        return ERC721URIStorage.supportsInterface(interfaceId) || AccessControlDefaultAdminRules.supportsInterface(interfaceId);
    }

    /// @dev The wallet of the former owner stops speaking for the agent.
    function _update(address to, uint256 agentId, address auth) internal override(ERC721) returns (address from) {
        from = super._update(to, agentId, auth);
        if (from != address(0)) _setMetadata(agentId, WALLET_KEY, "");
    }

    /// @dev Mints without a callback, so that no contract wallet can block its own registration.
    function _register(address owner, string memory agentURI) private whenNotPaused returns (uint256 agentId) {
        agentId = _nextId++;
        _mint(owner, agentId);
        if (bytes(agentURI).length > 0) _setTokenURI(agentId, agentURI);
        emit Registered(agentId, agentURI, owner);
        _setMetadata(agentId, WALLET_KEY, abi.encodePacked(owner));
    }

    function _setMetadata(uint256 agentId, string memory key, bytes memory value) private {
        _metadata[agentId][key] = value;
        emit MetadataSet(agentId, key, key, value);
    }

    function _requireAuthorized(uint256 agentId) private view {
        require(_isAuthorized(_requireOwned(agentId), msg.sender, agentId), "Not authorized");
    }

    function _requireFreeKey(string memory key) private pure {
        require(keccak256(bytes(key)) != WALLET_KEY_HASH, "reserved key");
    }
}
