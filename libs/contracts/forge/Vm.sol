// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The cheat codes that the tests use
interface Vm {
    function addr(uint256 privateKey) external view returns (address);
    function getCode(string calldata path) external view returns (bytes memory);
    function prank(address sender) external;
    function sign(uint256 privateKey, bytes32 digest) external view returns (uint8 v, bytes32 r, bytes32 s);
    function warp(uint256 timestamp) external;
}
