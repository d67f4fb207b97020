// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ERC-137 resolver
/// @notice Addresses (ERC-137, ERC-2304), names (ERC-181), texts (ERC-634), content hashes (ERC-1577). A name without an address
/// record resolves to its owner. The owner of a node and the registrar may write.
interface IDomainResolver {
    event AddrChanged(bytes32 indexed node, address a);
    event AddressChanged(bytes32 indexed node, uint256 coinType, bytes newAddress);
    event NameChanged(bytes32 indexed node, string name);
    event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value);
    event ContenthashChanged(bytes32 indexed node, bytes hash);
    event VersionChanged(bytes32 indexed node, uint64 newVersion);

    error Resolver_NotAuthorized(bytes32 node, address caller);
    error Resolver_BadAddress(bytes value);

    function setAddr(bytes32 node, address a) external;

    function setAddr(bytes32 node, uint256 coinType, bytes calldata a) external;

    function setName(bytes32 node, string calldata newName) external;

    function setText(bytes32 node, string calldata key, string calldata value) external;

    function setContenthash(bytes32 node, bytes calldata hash) external;

    /// @notice Forgets every record of the node.
    function clearRecords(bytes32 node) external;

    function addr(bytes32 node) external view returns (address payable);

    function addr(bytes32 node, uint256 coinType) external view returns (bytes memory);

    function name(bytes32 node) external view returns (string memory);

    function text(bytes32 node, string calldata key) external view returns (string memory);

    function contenthash(bytes32 node) external view returns (bytes memory);

    function recordVersions(bytes32 node) external view returns (uint64);
}
