// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IEnsRegistry} from "./interfaces/IEnsRegistry.sol";

/// @notice See {IEnsRegistry}.
contract EnsRegistry is IEnsRegistry {
    struct Record {
        address owner;
        address resolver;
        uint64 ttl;
    }

    mapping(bytes32 node => Record) private _records;
    mapping(address owner => mapping(address operator => bool)) private _operators;

    /// @param rootOwner The registrar, which creates the top-level nodes.
    constructor(address rootOwner) {
        _records[bytes32(0)].owner = rootOwner;
    }

    modifier authorized(bytes32 node) {
        address nodeOwner = _records[node].owner;
        require(nodeOwner == msg.sender || _operators[nodeOwner][msg.sender], Ens_NotAuthorized(node, msg.sender));
        _;
    }

    /// @inheritdoc IEnsRegistry
    function setOwner(bytes32 node, address owner_) external authorized(node) {
        _records[node].owner = owner_;
        emit Transfer(node, owner_);
    }

    /// @inheritdoc IEnsRegistry
    function setSubnodeOwner(bytes32 node, bytes32 label, address owner_) external authorized(node) returns (bytes32 subnode) {
        return _setSubnodeOwner(node, label, owner_);
    }

    /// @inheritdoc IEnsRegistry
    function setSubnodeRecord(bytes32 node, bytes32 label, address owner_, address resolver_, uint64 ttl_)
        external
        authorized(node)
    {
        bytes32 subnode = _setSubnodeOwner(node, label, owner_);
        _setResolver(subnode, resolver_);
        _setTtl(subnode, ttl_);
    }

    /// @inheritdoc IEnsRegistry
    function setResolver(bytes32 node, address resolver_) external authorized(node) {
        _setResolver(node, resolver_);
    }

    /// @inheritdoc IEnsRegistry
    function setTTL(bytes32 node, uint64 ttl_) external authorized(node) {
        _setTtl(node, ttl_);
    }

    /// @inheritdoc IEnsRegistry
    function setApprovalForAll(address operator, bool approved) external {
        _operators[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    /// @inheritdoc IEnsRegistry
    function owner(bytes32 node) external view returns (address) {
        return _records[node].owner;
    }

    /// @inheritdoc IEnsRegistry
    function resolver(bytes32 node) external view returns (address) {
        return _records[node].resolver;
    }

    /// @inheritdoc IEnsRegistry
    function ttl(bytes32 node) external view returns (uint64) {
        return _records[node].ttl;
    }

    /// @inheritdoc IEnsRegistry
    function recordExists(bytes32 node) external view returns (bool) {
        return _records[node].owner != address(0);
    }

    /// @inheritdoc IEnsRegistry
    function isApprovedForAll(address owner_, address operator) external view returns (bool) {
        return _operators[owner_][operator];
    }

    function _setSubnodeOwner(bytes32 node, bytes32 label, address owner_) private returns (bytes32 subnode) {
        subnode = keccak256(abi.encodePacked(node, label));
        _records[subnode].owner = owner_;
        emit NewOwner(node, label, owner_);
    }

    function _setResolver(bytes32 node, address resolver_) private {
        if (_records[node].resolver == resolver_) return;
        _records[node].resolver = resolver_;
        emit NewResolver(node, resolver_);
    }

    function _setTtl(bytes32 node, uint64 ttl_) private {
        if (_records[node].ttl == ttl_) return;
        _records[node].ttl = ttl_;
        emit NewTTL(node, ttl_);
    }
}
