// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {Managed, Roles} from "./access/Managed.sol";
import {Once} from "./access/Once.sol";
import {IDomainRegistry} from "./interfaces/IDomainRegistry.sol";
import {IDomainResolver} from "./interfaces/IDomainResolver.sol";
import {IEnsRegistry} from "./interfaces/IEnsRegistry.sol";
import {Authorization, IUSDC} from "./interfaces/IUSDC.sol";
import {Funds} from "./libraries/Funds.sol";
import {Names} from "./libraries/Names.sol";

/// @notice See {IDomainRegistry}.
contract DomainRegistry is IDomainRegistry, IERC4906, ERC721, Managed, Once, ReentrancyGuard {
    using Funds for IUSDC;
    using SafeERC20 for IUSDC;

    bytes4 private constant ERC4906_ID = 0x49064906;

    struct Domain {
        string label;
        string tld;
        bool isOperatorLocked;
    }

    IEnsRegistry private immutable _ens;
    IDomainResolver private immutable _resolver;
    IUSDC private immutable _usdc;
    bytes32 private immutable _reverseNode;

    string private _uri;
    uint256 private _totalSales;
    mapping(bytes32 node => bool) private _tlds;
    mapping(uint256 tokenId => Domain) private _domains;
    mapping(address owner => uint256 tokenId) private _primary;

    /// @dev The registry's root must belong to this contract.
    constructor(Roles memory roles, IEnsRegistry ens_, IDomainResolver resolver_, IUSDC usdc_, string memory baseUri)
        ERC721("Carapace Domains", "DOMAIN")
        Managed(roles)
    {
        _ens = ens_;
        _resolver = resolver_;
        _usdc = usdc_;
        _uri = baseUri;
        _grantOperators(roles);
        string[5] memory tlds = ["molt", "claw", "shell", "pinch", "agent"];
        for (uint256 i = 0; i < tlds.length; ++i) {
            _tlds[ens_.setSubnodeOwner(bytes32(0), keccak256(bytes(tlds[i])), address(this))] = true;
        }
        bytes32 reverse = ens_.setSubnodeOwner(bytes32(0), keccak256("reverse"), address(this));
        _reverseNode = ens_.setSubnodeOwner(reverse, keccak256("addr"), address(this));
    }

    /// @inheritdoc IDomainRegistry
    function mintFor(address owner, string calldata label, string calldata tld, TextRecord[] calldata texts, bytes32 mintId)
        external
        whenNotPaused
        onlyRole(OPERATOR_ROLE)
        once(mintId)
        returns (uint256 tokenId)
    {
        return _register(owner, label, tld, texts);
    }

    /// @inheritdoc IDomainRegistry
    function sellFor(
        address owner,
        string calldata label,
        string calldata tld,
        TextRecord[] calldata texts,
        bytes32 mintId,
        uint256 price
    ) external nonReentrant whenNotPaused onlyRole(OPERATOR_ROLE) once(mintId) returns (uint256 tokenId) {
        tokenId = _register(owner, label, tld, texts);
        _recordSale(tokenId, owner, price);
        _usdc.pull({from: owner, amount: price});
    }

    /// @inheritdoc IDomainRegistry
    function sellWithAuthorization(
        address owner,
        string calldata label,
        string calldata tld,
        TextRecord[] calldata texts,
        bytes32 mintId,
        uint256 price,
        Authorization calldata auth
    ) external nonReentrant whenNotPaused onlyRole(OPERATOR_ROLE) once(mintId) returns (uint256 tokenId) {
        tokenId = _register(owner, label, tld, texts);
        _recordSale(tokenId, auth.from, price);
        _usdc.pullSigned({auth: auth, amount: price, nonce: mintId});
    }

    /// @inheritdoc IDomainRegistry
    function withdrawIncome(address to, uint256 amount) external nonReentrant onlyRole(DEFAULT_ADMIN_ROLE) {
        emit IncomeWithdrawn(to, amount);
        _usdc.safeTransfer({to: to, value: amount});
    }

    /// @inheritdoc IDomainRegistry
    function transferFor(address from, address to, uint256 tokenId, bytes32 transferId)
        external
        onlyRole(OPERATOR_ROLE)
        once(transferId)
    {
        _requireOperable(tokenId);
        _transfer(from, to, tokenId);
    }

    /// @inheritdoc IDomainRegistry
    function burnFor(uint256 tokenId, bytes32 burnId) external onlyRole(OPERATOR_ROLE) once(burnId) {
        address owner = _requireOwned(tokenId);
        _requireOperable(tokenId);
        string memory fullName = nameOf(tokenId);
        _burn(tokenId);
        delete _domains[tokenId];
        emit DomainBurned(tokenId, owner, fullName);
    }

    /// @inheritdoc IDomainRegistry
    function lockOperator(uint256 tokenId) external {
        _requireOwner(tokenId);
        _requireOperable(tokenId);
        _domains[tokenId].isOperatorLocked = true;
        emit OperatorLocked(tokenId);
    }

    /// @inheritdoc IDomainRegistry
    function unlockOperator(uint256 tokenId) external {
        _requireOwner(tokenId);
        require(_domains[tokenId].isOperatorLocked, Domain_NotLocked(tokenId));
        _domains[tokenId].isOperatorLocked = false;
        emit OperatorUnlocked(tokenId);
    }

    /// @inheritdoc IDomainRegistry
    function setPrimaryName(uint256 tokenId) external {
        _requireOwner(tokenId);
        _setPrimary(msg.sender, tokenId);
    }

    /// @inheritdoc IDomainRegistry
    function setBaseUri(string calldata baseUri) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _uri = baseUri;
        emit BaseUriSet(baseUri);
        emit BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @inheritdoc IDomainRegistry
    function nameOf(uint256 tokenId) public view returns (string memory) {
        _requireOwned(tokenId);
        return string.concat(_domains[tokenId].label, ".", _domains[tokenId].tld);
    }

    /// @inheritdoc IDomainRegistry
    function primaryOf(address owner) external view returns (uint256) {
        return _primary[owner];
    }

    /// @inheritdoc IDomainRegistry
    function resolve(string calldata fullName) external view returns (address) {
        return _ownerOf(uint256(Names.namehash(bytes(fullName))));
    }

    /// @inheritdoc IDomainRegistry
    function tokenIdOf(string calldata label, string calldata tld) public pure returns (uint256) {
        return uint256(Names.child(_tldNode(tld), keccak256(bytes(label))));
    }

    /// @inheritdoc IDomainRegistry
    function isOperatorLocked(uint256 tokenId) external view returns (bool) {
        return _domains[tokenId].isOperatorLocked;
    }

    /// @inheritdoc IDomainRegistry
    function totalSales() external view returns (uint256) {
        return _totalSales;
    }

    /// @inheritdoc IDomainRegistry
    function usdc() external view returns (address) {
        return address(_usdc);
    }

    /// @inheritdoc IDomainRegistry
    function ens() external view returns (address) {
        return address(_ens);
    }

    /// @inheritdoc IDomainRegistry
    function resolver() external view returns (address) {
        return address(_resolver);
    }

    /// @notice The base URI and the full name.
    function tokenURI(uint256 tokenId) public view override returns (string memory) {
        return string.concat(_uri, nameOf(tokenId));
    }

    function supportsInterface(bytes4 interfaceId)
        public
        view
        override(ERC721, AccessControlDefaultAdminRules, IERC165)
        returns (bool)
    {
        return interfaceId == ERC4906_ID || ERC721.supportsInterface(interfaceId)
            || AccessControlDefaultAdminRules.supportsInterface(interfaceId);
    }

    /// @dev The registry follows the token; what the former owner wrote is forgotten. The first name of an address, minted or received, is
    /// what it is called: who receives a name may be unable to pay for a transaction.
    function _update(address to, uint256 tokenId, address auth) internal override returns (address from) {
        from = super._update(to, tokenId, auth);
        if (from == to) return from;
        Domain storage domain = _domains[tokenId];
        if (from != address(0)) {
            if (_primary[from] == tokenId) _clearPrimary(from);
            _resolver.clearRecords(bytes32(tokenId));
        }
        _ens.setSubnodeRecord({
            node: _tldNode(domain.tld),
            label: keccak256(bytes(domain.label)),
            owner: to,
            resolver: to == address(0) ? address(0) : address(_resolver),
            ttl: 0
        });
        if (to != address(0) && _primary[to] == 0) _setPrimary(to, tokenId);
    }

    function _register(address owner, string calldata label, string calldata tld, TextRecord[] calldata texts)
        private
        returns (uint256 tokenId)
    {
        require(Names.isLabel(label), Domain_InvalidLabel(label));
        require(_tlds[_tldNode(tld)], Domain_UnknownTld(tld));
        tokenId = tokenIdOf(label, tld);
        require(_ownerOf(tokenId) == address(0), Domain_Taken(tokenId));
        _domains[tokenId] = Domain({label: label, tld: tld, isOperatorLocked: false});
        _mint(owner, tokenId);
        emit DomainMinted(tokenId, owner, keccak256(bytes(label)), nameOf(tokenId));
        for (uint256 i = 0; i < texts.length; ++i) {
            _resolver.setText({node: bytes32(tokenId), key: texts[i].key, value: texts[i].value});
        }
    }

    function _recordSale(uint256 tokenId, address payer, uint256 price) private {
        require(price > 0, Domain_ZeroPrice());
        _totalSales += price;
        emit DomainSold(tokenId, payer, price);
    }

    function _setPrimary(address owner, uint256 tokenId) private {
        _primary[owner] = tokenId;
        emit PrimaryNameSet(owner, tokenId);
        bytes32 label = Names.reverseLabel(owner);
        _ens.setSubnodeRecord({node: _reverseNode, label: label, owner: owner, resolver: address(_resolver), ttl: 0});
        _resolver.setName({node: Names.child(_reverseNode, label), newName: nameOf(tokenId)});
    }

    function _clearPrimary(address owner) private {
        delete _primary[owner];
        emit PrimaryNameCleared(owner);
        _resolver.setName({node: Names.child(_reverseNode, Names.reverseLabel(owner)), newName: ""});
    }

    function _requireOwner(uint256 tokenId) private view {
        require(_requireOwned(tokenId) == msg.sender, Domain_NotOwner(tokenId, msg.sender));
    }

    function _requireOperable(uint256 tokenId) private view {
        require(!_domains[tokenId].isOperatorLocked, Domain_LockedByOwner(tokenId));
    }

    function _tldNode(string memory tld) private pure returns (bytes32) {
        return Names.child(bytes32(0), keccak256(bytes(tld)));
    }
}
