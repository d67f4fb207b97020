// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC165} from "@openzeppelin/contracts/utils/introspection/ERC165.sol";
import {IDomainResolver} from "./interfaces/IDomainResolver.sol";
import {IEnsRegistry} from "./interfaces/IEnsRegistry.sol";

/// @notice See {IDomainResolver}.
contract DomainResolver is IDomainResolver, ERC165 {
    uint256 private constant COIN_TYPE_ETH = 60;
    bytes4 private constant ADDR_ID = 0x3b3b57de;
    bytes4 private constant MULTICOIN_ADDR_ID = 0xf1cb7e06;
    bytes4 private constant NAME_ID = 0x691f3431;
    bytes4 private constant TEXT_ID = 0x59d1d43c;
    bytes4 private constant CONTENTHASH_ID = 0xbc1c58d1;

    struct Records {
        string name;
        bytes contenthash;
        mapping(uint256 coinType => bytes) addresses;
        mapping(string key => string) texts;
    }

    IEnsRegistry private immutable _ens;
    address private immutable _registrar;

    mapping(bytes32 node => uint64) private _versions;
    /// @dev By node and version, so that one write forgets all records.
    mapping(bytes32 node => mapping(uint64 version => Records)) private _records;

    constructor(IEnsRegistry ens, address registrar) {
        _ens = ens;
        _registrar = registrar;
    }

    modifier authorized(bytes32 node) {
        address owner = _ens.owner(node);
        bool may = msg.sender == _registrar || msg.sender == owner || _ens.isApprovedForAll(owner, msg.sender);
        require(may, Resolver_NotAuthorized(node, msg.sender));
        _;
    }

    /// @inheritdoc IDomainResolver
    function setAddr(bytes32 node, address a) external authorized(node) {
        _setAddr(node, COIN_TYPE_ETH, abi.encodePacked(a));
    }

    /// @inheritdoc IDomainResolver
    function setAddr(bytes32 node, uint256 coinType, bytes calldata a) external authorized(node) {
        _setAddr(node, coinType, a);
    }

    /// @inheritdoc IDomainResolver
    function setName(bytes32 node, string calldata newName) external authorized(node) {
        _of(node).name = newName;
        emit NameChanged(node, newName);
    }

    /// @inheritdoc IDomainResolver
    function setText(bytes32 node, string calldata key, string calldata value) external authorized(node) {
        _of(node).texts[key] = value;
        emit TextChanged(node, key, key, value);
    }

    /// @inheritdoc IDomainResolver
    function setContenthash(bytes32 node, bytes calldata hash) external authorized(node) {
        _of(node).contenthash = hash;
        emit ContenthashChanged(node, hash);
    }

    /// @inheritdoc IDomainResolver
    function clearRecords(bytes32 node) external authorized(node) {
        emit VersionChanged(node, ++_versions[node]);
    }

    /// @inheritdoc IDomainResolver
    function addr(bytes32 node) public view returns (address payable) {
        bytes memory known = _of(node).addresses[COIN_TYPE_ETH];
        return payable(known.length == 20 ? address(bytes20(known)) : _ens.owner(node));
    }

    /// @inheritdoc IDomainResolver
    function addr(bytes32 node, uint256 coinType) external view returns (bytes memory) {
        if (coinType == COIN_TYPE_ETH) return abi.encodePacked(addr(node));
        return _of(node).addresses[coinType];
    }

    /// @inheritdoc IDomainResolver
    function name(bytes32 node) external view returns (string memory) {
        return _of(node).name;
    }

    /// @inheritdoc IDomainResolver
    function text(bytes32 node, string calldata key) external view returns (string memory) {
        return _of(node).texts[key];
    }

    /// @inheritdoc IDomainResolver
    function contenthash(bytes32 node) external view returns (bytes memory) {
        return _of(node).contenthash;
    }

    /// @inheritdoc IDomainResolver
    function recordVersions(bytes32 node) external view returns (uint64) {
        return _versions[node];
    }

    function supportsInterface(bytes4 id) public view override returns (bool) {
        return id == ADDR_ID || id == MULTICOIN_ADDR_ID || id == NAME_ID || id == TEXT_ID || id == CONTENTHASH_ID
            || super.supportsInterface(id);
    }

    function _of(bytes32 node) private view returns (Records storage) {
        return _records[node][_versions[node]];
    }

    function _setAddr(bytes32 node, uint256 coinType, bytes memory a) private {
        require(coinType != COIN_TYPE_ETH || a.length == 20 || a.length == 0, Resolver_BadAddress(a));
        _of(node).addresses[coinType] = a;
        emit AddressChanged(node, coinType, a);
        if (coinType == COIN_TYPE_ETH) emit AddrChanged(node, addr(node));
    }
}
