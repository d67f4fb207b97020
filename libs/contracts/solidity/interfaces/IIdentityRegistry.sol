// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ERC-8004 identity registry, version 2.0.0, with registration by the platform
/// @notice Revert texts are those of the reference registry, which its clients know.
interface IIdentityRegistry {
    struct MetadataEntry {
        string metadataKey;
        bytes metadataValue;
    }

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event MetadataSet(uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue);
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);
    /// @notice The platform's agent `agentKey` has the token `agentId`.
    event AgentKeyRegistered(bytes32 indexed agentKey, uint256 indexed agentId, address indexed owner);

    error Identity_KeyTaken(bytes32 agentKey, uint256 agentId);

    function register() external returns (uint256 agentId);

    function register(string memory agentURI) external returns (uint256 agentId);

    function register(string memory agentURI, MetadataEntry[] memory metadata) external returns (uint256 agentId);

    /// @notice Registers an agent of the platform, once per key, with its own wallet as owner. Operator.
    function registerFor(address owner, bytes32 agentKey, string memory agentURI) external returns (uint256 agentId);

    function setAgentURI(uint256 agentId, string calldata newURI) external;

    function setMetadata(uint256 agentId, string memory metadataKey, bytes memory metadataValue) external;

    /// @notice Sets the wallet that acts for the agent, by its EIP-712 consent (ECDSA or ERC-1271) of at most 5 minutes.
    /// @param deadline Unix seconds.
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature) external;

    function unsetAgentWallet(uint256 agentId) external;

    function getMetadata(uint256 agentId, string memory metadataKey) external view returns (bytes memory);

    function getAgentWallet(uint256 agentId) external view returns (address);

    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool);

    function getVersion() external pure returns (string memory);

    function agentOfKey(bytes32 agentKey) external view returns (bool registered, uint256 agentId);
}
