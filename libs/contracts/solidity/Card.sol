// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {Managed, Roles} from "./access/Managed.sol";
import {Once} from "./access/Once.sol";
import {ICard} from "./interfaces/ICard.sol";
import {IERC5192} from "./interfaces/IERC5192.sol";

/// @notice See {ICard}.
contract Card is ICard, IERC4906, ERC721, Managed, Once {
    bytes4 private constant ERC4906_ID = 0x49064906;

    string private _uri;
    mapping(address wallet => uint256 tokenId) private _cards;
    mapping(uint256 tokenId => uint256 version) private _versions;

    constructor(Roles memory roles, string memory baseUri) ERC721("Carapace Card", "CARD") Managed(roles) {
        _uri = baseUri;
        _grantOperators(roles);
    }

    /// @inheritdoc ICard
    function mint(address to, uint256 tokenId) external whenNotPaused onlyRole(OPERATOR_ROLE) once(bytes32(tokenId)) {
        require(balanceOf(to) == 0, Card_OnePerWallet(to));
        _mint(to, tokenId);
        _cards[to] = tokenId;
        emit Locked(tokenId);
    }

    /// @inheritdoc ICard
    function refresh(uint256 tokenId, uint256 version) external onlyRole(OPERATOR_ROLE) {
        _requireOwned(tokenId);
        require(version > _versions[tokenId], Card_StaleVersion(tokenId, version, _versions[tokenId]));
        _versions[tokenId] = version;
        emit MetadataUpdate(tokenId);
    }

    /// @inheritdoc ICard
    function burn(uint256 tokenId) external onlyRole(OPERATOR_ROLE) {
        address owner = _requireOwned(tokenId);
        delete _cards[owner];
        _burn(tokenId);
    }

    /// @inheritdoc ICard
    function setBaseUri(string calldata baseUri) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _uri = baseUri;
        emit BaseUriSet(baseUri);
        emit BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @inheritdoc IERC5192
    function locked(uint256 tokenId) external view returns (bool) {
        _requireOwned(tokenId);
        return true;
    }

    /// @inheritdoc ICard
    function cardOf(address wallet) external view returns (uint256) {
        return _cards[wallet];
    }

    /// @inheritdoc ICard
    function versionOf(uint256 tokenId) external view returns (uint256) {
        return _versions[tokenId];
    }

    function supportsInterface(bytes4 interfaceId)
        public
        view
        override(ERC721, AccessControlDefaultAdminRules, IERC165)
        returns (bool)
    {
        return interfaceId == type(IERC5192).interfaceId || interfaceId == ERC4906_ID || ERC721.supportsInterface(interfaceId)
            || AccessControlDefaultAdminRules.supportsInterface(interfaceId);
    }

    function _baseURI() internal view override returns (string memory) {
        return _uri;
    }

    function _update(address to, uint256 tokenId, address auth) internal override returns (address from) {
        from = super._update(to, tokenId, auth);
        require(from == address(0) || to == address(0), Card_Soulbound(tokenId));
    }
}
