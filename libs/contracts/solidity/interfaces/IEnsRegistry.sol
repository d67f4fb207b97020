// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ERC-137 registry
interface IEnsRegistry {
    event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner);
    event Transfer(bytes32 indexed node, address owner);
    event NewResolver(bytes32 indexed node, address resolver);
    /// @param ttl Seconds.
    event NewTTL(bytes32 indexed node, uint64 ttl);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    error Ens_NotAuthorized(bytes32 node, address caller);

    function setOwner(bytes32 node, address owner) external;

    function setSubnodeOwner(bytes32 node, bytes32 label, address owner) external returns (bytes32 subnode);

    /// @notice Sets owner, resolver and time to live of a subnode together.
    /// @param ttl Seconds.
    function setSubnodeRecord(bytes32 node, bytes32 label, address owner, address resolver, uint64 ttl) external;

    function setResolver(bytes32 node, address resolver) external;

    /// @param ttl Seconds.
    function setTTL(bytes32 node, uint64 ttl) external;

    function setApprovalForAll(address operator, bool approved) external;

    function owner(bytes32 node) external view returns (address);

    function resolver(bytes32 node) external view returns (address);

    /// @return In seconds.
    function ttl(bytes32 node) external view returns (uint64);

    function recordExists(bytes32 node) external view returns (bool);

    function isApprovedForAll(address owner, address operator) external view returns (bool);
}
