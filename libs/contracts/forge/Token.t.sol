// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deployed} from "./Deployed.sol";

/// @title EIP-3009 under random times and repetitions
contract TokenFuzz is Deployed {
    bytes32 private constant TYPEHASH = 0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267;
    uint256 private constant SIGNER = 1;

    function testFuzz_authorizationCountsOnceWithinItsTime(uint64 validAfter, uint64 validBefore, uint64 time, uint96 value, bytes32 nonce)
        public
    {
        vm.warp(time);
        bytes memory call = _signed(bound(value, 0, 2 * FUNDS), validAfter, validBefore, nonce, SIGNER);
        bool isDue = time > validAfter && time < validBefore && bound(value, 0, 2 * FUNDS) <= FUNDS;

        (bool ok,) = address(usdc).call(call);
        require(ok == isDue, "wrong answer");
        require(usdc.authorizationState(vm.addr(SIGNER), nonce) == isDue, "wrong state");
        (bool again,) = address(usdc).call(call);
        require(!again, "counted twice");
        require(usdc.balanceOf(address(0xb0b)) == (isDue ? bound(value, 0, 2 * FUNDS) : 0), "wrong balance");
    }

    function testFuzz_anotherKeyIsRefused(uint256 key, bytes32 nonce) public {
        (bool ok,) = address(usdc).call(_signed(1, 0, type(uint64).max, nonce, bound(key, 2, 1_000)));
        require(!ok, "a stranger's signature was accepted");
    }

    function _signed(uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint256 key)
        private
        view
        returns (bytes memory)
    {
        address from = vm.addr(SIGNER);
        bytes32 hash = keccak256(abi.encode(TYPEHASH, from, address(0xb0b), value, validAfter, validBefore, nonce));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked("\x19\x01", usdc.DOMAIN_SEPARATOR(), hash)));
        return abi.encodeWithSignature(
            "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
            from,
            address(0xb0b),
            value,
            validAfter,
            validBefore,
            nonce,
            abi.encodePacked(r, s, v)
        );
    }
}
