// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Authorization} from "./IUSDC.sol";

/// @title Names under .molt, .claw, .shell, .pinch and .agent
/// @notice ERC-721 whose token id is `uint256(namehash(full name))`. The registry of ERC-137 follows the tokens' owners. Ids of
/// the operator's calls (`mintId`, …) are the platform's: each counts once.
interface IDomainRegistry {
    struct TextRecord {
        string key;
        string value;
    }

    event DomainMinted(uint256 indexed tokenId, address indexed owner, bytes32 indexed labelHash, string name);
    /// @param price In micro-USDC.
    event DomainSold(uint256 indexed tokenId, address indexed payer, uint256 price);
    /// @param amount In micro-USDC.
    event IncomeWithdrawn(address indexed to, uint256 amount);
    event DomainBurned(uint256 indexed tokenId, address indexed owner, string name);
    event PrimaryNameSet(address indexed owner, uint256 indexed tokenId);
    event PrimaryNameCleared(address indexed owner);
    event OperatorLocked(uint256 indexed tokenId);
    event OperatorUnlocked(uint256 indexed tokenId);
    event BaseUriSet(string baseUri);

    error Domain_InvalidLabel(string label);
    error Domain_UnknownTld(string tld);
    error Domain_Taken(uint256 tokenId);
    error Domain_NotOwner(uint256 tokenId, address account);
    error Domain_LockedByOwner(uint256 tokenId);
    error Domain_NotLocked(uint256 tokenId);
    error Domain_ZeroPrice();

    /// @notice Registers a name (3 to 32 of a-z, 0-9 and inner single hyphens) with text records. The first name of an
    /// address, minted or received, becomes its primary one. Operator.
    /// @param tld Without dot.
    function mintFor(address owner, string calldata label, string calldata tld, TextRecord[] calldata texts, bytes32 mintId)
        external
        returns (uint256 tokenId);

    /// @notice As `mintFor`, against a price in micro-USDC that the owner has allowed this contract to pull. The name is minted and paid
    /// for, or neither. Operator.
    /// @param price In micro-USDC.
    function sellFor(
        address owner,
        string calldata label,
        string calldata tld,
        TextRecord[] calldata texts,
        bytes32 mintId,
        uint256 price
    ) external returns (uint256 tokenId);

    /// @notice As `sellFor`, paid by a signed EIP-3009 authorisation whose nonce is `mintId`; the payer may be another than the owner.
    /// Operator.
    /// @param price In micro-USDC.
    function sellWithAuthorization(
        address owner,
        string calldata label,
        string calldata tld,
        TextRecord[] calldata texts,
        bytes32 mintId,
        uint256 price,
        Authorization calldata auth
    ) external returns (uint256 tokenId);

    /// @notice Pays out what names have earned. Timelock.
    /// @param amount In micro-USDC.
    function withdrawIncome(address to, uint256 amount) external;

    /// @notice Moves a name for its owner. Operator, unless the owner locked it out.
    function transferFor(address from, address to, uint256 tokenId, bytes32 transferId) external;

    /// @notice Gives a name up for its owner. Operator, unless the owner locked it out.
    function burnFor(uint256 tokenId, bytes32 burnId) external;

    /// @notice Shuts the operator out of a token. Owner.
    function lockOperator(uint256 tokenId) external;

    /// @notice Lets the operator in again. Owner.
    function unlockOperator(uint256 tokenId) external;

    /// @notice Makes the reverse record of the caller point to one of its names.
    function setPrimaryName(uint256 tokenId) external;

    /// @notice Timelock.
    function setBaseUri(string calldata baseUri) external;

    /// @notice Full name of a token.
    function nameOf(uint256 tokenId) external view returns (string memory);

    /// @notice Zero when the owner has none.
    function primaryOf(address owner) external view returns (uint256);

    /// @notice Owner of a full name, zero when it is free.
    function resolve(string calldata fullName) external view returns (address);

    function tokenIdOf(string calldata label, string calldata tld) external pure returns (uint256);

    function isOperatorLocked(uint256 tokenId) external view returns (bool);

    /// @notice Sum of all prices that were ever paid, in micro-USDC.
    /// @return In micro-USDC.
    function totalSales() external view returns (uint256);

    function usdc() external view returns (address);

    function ens() external view returns (address);

    function resolver() external view returns (address);
}
