// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Rules and hashes of names
library Names {
    uint256 private constant MIN_LENGTH = 3;
    uint256 private constant MAX_LENGTH = 32;

    /// @notice 3 to 32 of a-z, 0-9 and hyphens; no hyphen at either end or next to another. Such names are ENSIP-15 normal.
    function isLabel(string calldata label) internal pure returns (bool) {
        bytes calldata b = bytes(label);
        if (b.length < MIN_LENGTH || b.length > MAX_LENGTH) return false;
        bool wasHyphen = true;
        for (uint256 i = 0; i < b.length; ++i) {
            bool isHyphen = b[i] == "-";
            bool isAlphanumeric = (b[i] >= "a" && b[i] <= "z") || (b[i] >= "0" && b[i] <= "9");
            if (isHyphen ? wasHyphen : !isAlphanumeric) return false;
            wasHyphen = isHyphen;
        }
        return !wasHyphen;
    }

    /// @notice ERC-137 node of `label` under `parent`.
    function child(bytes32 parent, bytes32 labelHash) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(parent, labelHash));
    }

    /// @notice ERC-137 node of a dotted name.
    function namehash(bytes calldata fullName) internal pure returns (bytes32 node) {
        uint256 end = fullName.length;
        for (uint256 i = fullName.length; i > 0; --i) {
            if (fullName[i - 1] != ".") continue;
            node = child(node, keccak256(fullName[i:end]));
            end = i - 1;
        }
        if (fullName.length > 0) node = child(node, keccak256(fullName[0:end]));
    }

    /// @notice keccak256 of the lower-case hexadecimal digits of an address: its label under addr.reverse.
    function reverseLabel(address account) internal pure returns (bytes32) {
        bytes16 digits = "0123456789abcdef";
        bytes memory text = new bytes(40);
        for (uint256 i = 40; i > 0; --i) {
            text[i - 1] = digits[(uint160(account) >> (4 * (40 - i))) & 0xf];
        }
        return keccak256(text);
    }
}
