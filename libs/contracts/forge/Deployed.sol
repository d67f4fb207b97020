// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Roles} from "../solidity/access/Managed.sol";
import {IBatcher} from "../solidity/interfaces/IBatcher.sol";
import {IBond} from "../solidity/interfaces/IBond.sol";
import {ICommerce} from "../solidity/interfaces/ICommerce.sol";
import {IDevUSDC} from "../solidity/interfaces/IDevUSDC.sol";
import {IEscrow} from "../solidity/interfaces/IEscrow.sol";
import {ISwarmValidator} from "../solidity/interfaces/ISwarmValidator.sol";
import {Vm} from "./Vm.sol";

/// @title The contracts as they are deployed: from the committed artifacts
/// @notice The test contract itself is admin, operator, oracle, facilitator and faucet.
abstract contract Deployed {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    uint256 internal constant FUNDS = 1_000_000e6;

    IDevUSDC internal usdc;
    IEscrow internal escrow;
    IBond internal bond;
    ISwarmValidator internal pool;
    ICommerce internal commerce;
    IBatcher internal batcher;
    address[] internal actors;

    constructor() {
        vm.warp(1_800_000_000);
        address[] memory faucets = new address[](1);
        faucets[0] = address(this);
        usdc = IDevUSDC(create("artifacts/DevUSDC.json", abi.encode("USDC", address(this), faucets)));
        batcher = IBatcher(create("artifacts/Batcher.json", abi.encode(roles(address(0xba)))));
        // A contract's address follows from its creator's nonce: pool and bond know each other from the start.
        address bondAddress = addressAt(4);
        pool = ISwarmValidator(create("artifacts/SwarmValidator.json", abi.encode(roles(address(batcher)), usdc, bondAddress)));
        bond = IBond(create("artifacts/Bond.json", abi.encode(roles(address(batcher)), usdc, pool)));
        require(address(bond) == bondAddress, "bond is elsewhere");
        escrow = newEscrow(address(usdc));
        commerce = ICommerce(create("artifacts/Commerce.json", abi.encode(roles(address(batcher)), usdc, pool)));
        for (uint256 i = 0; i < 4; ++i) {
            addActor(vm.addr(i + 1));
        }
    }

    function newEscrow(address token) internal returns (IEscrow) {
        return IEscrow(create("artifacts/Escrow.json", abi.encode(roles(address(batcher)), token, pool)));
    }

    function create(string memory artifact, bytes memory arguments) internal returns (address made) {
        bytes memory code = abi.encodePacked(vm.getCode(artifact), arguments);
        assembly {
            made := create(0, add(code, 0x20), mload(code))
        }
        require(made != address(0), artifact);
    }

    function roles(address second) internal view returns (Roles memory) {
        address self = address(this);
        return Roles({
            admin: self,
            adminDelay: 0,
            operator: self,
            batcher: second,
            oracle: self,
            facilitator: self,
            pauser: self
        });
    }

    function actor(uint256 seed) internal view returns (address) {
        return actors[seed % actors.length];
    }

    /// @dev Calls as somebody and lets it fail: random sequences hit refusals most of the time.
    function attempt(address from, address target, bytes memory data) internal returns (bool ok) {
        vm.prank(from);
        (ok,) = target.call(data);
    }

    function bound(uint256 seed, uint256 min, uint256 max) internal pure returns (uint256) {
        return min + (seed % (max - min + 1));
    }

    /// @dev The address this contract's n-th creation gets (n < 128).
    function addressAt(uint8 nonce) private view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes2(0xd694), address(this), nonce)))));
    }

    function addActor(address account) private {
        actors.push(account);
        usdc.mint(account, FUNDS);
        address[3] memory spenders = [address(escrow), address(bond), address(commerce)];
        for (uint256 i = 0; i < spenders.length; ++i) {
            vm.prank(account);
            usdc.approve(spenders[i], type(uint256).max);
        }
    }
}
