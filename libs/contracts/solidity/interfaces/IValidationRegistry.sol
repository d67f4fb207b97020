// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ERC-8004 validation registry, version 2.0.0
/// @notice Revert texts are those of the reference registry, which its clients know.
interface IValidationRegistry {
    event ValidationRequest(
        address indexed validatorAddress, uint256 indexed agentId, string requestURI, bytes32 indexed requestHash
    );
    /// @param response 0..100.
    event ValidationResponse(
        address indexed validatorAddress,
        uint256 indexed agentId,
        bytes32 indexed requestHash,
        uint8 response,
        string responseURI,
        bytes32 responseHash,
        string tag
    );

    /// @notice Requests a validation, once per hash. Owner or operator of the agent.
    function validationRequest(address validatorAddress, uint256 agentId, string calldata requestURI, bytes32 requestHash) external;

    /// @notice Answers, 0 to 100, again if need be. The requested validator.
    /// @param response 0..100.
    function validationResponse(
        bytes32 requestHash,
        uint8 response,
        string calldata responseURI,
        bytes32 responseHash,
        string calldata tag
    ) external;

    function getIdentityRegistry() external view returns (address);

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
        );

    /// @notice Mean of the answers on an agent. No validators: all; empty tag: all.
    function getSummary(uint256 agentId, address[] calldata validatorAddresses, string calldata tag)
        external
        view
        returns (uint64 count, uint8 avgResponse);

    function getAgentValidations(uint256 agentId) external view returns (bytes32[] memory);

    function getValidatorRequests(address validatorAddress) external view returns (bytes32[] memory);

    function getVersion() external pure returns (string memory);
}
