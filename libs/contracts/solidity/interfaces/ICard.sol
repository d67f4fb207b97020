// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC5192} from "./IERC5192.sol";

/// @title The agent's card
/// @notice Soulbound: one per wallet, never transferred. Token ids are the platform's card numbers, the same on every network.
interface ICard is IERC5192 {
    event BaseUriSet(string baseUri);

    error Card_Soulbound(uint256 tokenId);
    error Card_OnePerWallet(address wallet);
    error Card_StaleVersion(uint256 tokenId, uint256 version, uint256 current);

    /// @notice Mints a card, once per number. Operator.
    function mint(address to, uint256 tokenId) external;

    /// @notice Says that the card's metadata changed; versions rise. Operator.
    function refresh(uint256 tokenId, uint256 version) external;

    /// @notice Removes a card when its agent moves to another wallet. Operator.
    function burn(uint256 tokenId) external;

    /// @notice Token URIs are this and the token id. Timelock.
    function setBaseUri(string calldata baseUri) external;

    function cardOf(address wallet) external view returns (uint256);

    function versionOf(uint256 tokenId) external view returns (uint256);
}
