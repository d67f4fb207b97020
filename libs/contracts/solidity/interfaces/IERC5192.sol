// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title ERC-5192: minimal soulbound tokens (interface id 0xb45a3c0e)
interface IERC5192 {
    event Locked(uint256 tokenId);
    event Unlocked(uint256 tokenId);

    /// @notice Whether the token cannot be transferred; reverts for a token that does not exist.
    function locked(uint256 tokenId) external view returns (bool);
}
