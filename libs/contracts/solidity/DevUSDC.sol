// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Once} from "./access/Once.sol";
import {IDevUSDC} from "./interfaces/IDevUSDC.sol";
import {IUSDC} from "./interfaces/IUSDC.sol";

/// @notice See {IDevUSDC}.
contract DevUSDC is IDevUSDC, AccessControl, EIP712, Once {
    bytes32 public constant FAUCET_ROLE = keccak256("FAUCET");
    bytes32 public constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    /// @dev The arguments of an authorisation, in a struct because of the stack limit.
    struct Move {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    uint256 private _totalSupply;
    mapping(address account => uint256) private _balances;
    mapping(address owner => mapping(address spender => uint256)) private _allowances;
    mapping(address owner => uint256) private _nonces;
    mapping(address authorizer => mapping(bytes32 nonce => bool)) private _authorizations;

    /// @param name_ Name of the token and of its EIP-712 domain; clients read it from the token.
    constructor(string memory name_, address admin, address[] memory faucets) EIP712(name_, "2") {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        for (uint256 i = 0; i < faucets.length; ++i) {
            _grantRole(FAUCET_ROLE, faucets[i]);
        }
    }

    /// @inheritdoc IDevUSDC
    function mint(address to, uint256 amount) external onlyRole(FAUCET_ROLE) returns (bool) {
        _mint(to, amount);
        return true;
    }

    /// @inheritdoc IDevUSDC
    function mintOnce(address to, uint256 amount, bytes32 requestId) external onlyRole(FAUCET_ROLE) once(requestId) {
        _mint(to, amount);
    }

    /// @inheritdoc IERC20
    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    /// @inheritdoc IERC20
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = _allowances[from][msg.sender];
        require(value <= allowed, "ERC20: transfer amount exceeds allowance");
        _transfer(from, to, value);
        _allowances[from][msg.sender] = allowed - value;
        return true;
    }

    /// @inheritdoc IERC20
    function approve(address spender, uint256 value) external returns (bool) {
        _approve(msg.sender, spender, value);
        return true;
    }

    /// @inheritdoc IDevUSDC
    function increaseAllowance(address spender, uint256 increment) external returns (bool) {
        _approve(msg.sender, spender, _allowances[msg.sender][spender] + increment);
        return true;
    }

    /// @inheritdoc IDevUSDC
    function decreaseAllowance(address spender, uint256 decrement) external returns (bool) {
        uint256 allowed = _allowances[msg.sender][spender];
        require(decrement <= allowed, "ERC20: decreased allowance below zero");
        _approve(msg.sender, spender, allowed - decrement);
        return true;
    }

    /// @inheritdoc IDevUSDC
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        _permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    /// @inheritdoc IDevUSDC
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes calldata signature) external {
        _permit(owner, spender, value, deadline, signature);
    }

    /// @inheritdoc IDevUSDC
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        Move memory move = Move(from, to, value, validAfter, validBefore, nonce);
        _moveAuthorized(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, move, abi.encodePacked(r, s, v));
    }

    /// @inheritdoc IDevUSDC
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        _moveAuthorized(
            TRANSFER_WITH_AUTHORIZATION_TYPEHASH, Move(from, to, value, validAfter, validBefore, nonce), signature
        );
    }

    /// @inheritdoc IDevUSDC
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        Move memory move = Move(from, to, value, validAfter, validBefore, nonce);
        _moveAuthorized(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, move, abi.encodePacked(r, s, v));
    }

    /// @inheritdoc IUSDC
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        require(to == msg.sender, "FiatTokenV2: caller must be the payee");
        _moveAuthorized(
            RECEIVE_WITH_AUTHORIZATION_TYPEHASH, Move(from, to, value, validAfter, validBefore, nonce), signature
        );
    }

    /// @inheritdoc IDevUSDC
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        _cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    /// @inheritdoc IDevUSDC
    function cancelAuthorization(address authorizer, bytes32 nonce, bytes calldata signature) external {
        _cancelAuthorization(authorizer, nonce, signature);
    }

    /// @inheritdoc IDevUSDC
    function name() external view returns (string memory) {
        return _EIP712Name();
    }

    /// @inheritdoc IDevUSDC
    function symbol() external pure returns (string memory) {
        return "USDC";
    }

    /// @inheritdoc IDevUSDC
    function decimals() external pure returns (uint8) {
        return 6;
    }

    /// @inheritdoc IDevUSDC
    function currency() external pure returns (string memory) {
        return "USD";
    }

    /// @inheritdoc IDevUSDC
    function version() external view returns (string memory) {
        return _EIP712Version();
    }

    /// @inheritdoc IERC20
    function totalSupply() external view returns (uint256) {
        return _totalSupply;
    }

    /// @inheritdoc IERC20
    function balanceOf(address account) external view returns (uint256) {
        return _balances[account];
    }

    /// @inheritdoc IERC20
    function allowance(address owner, address spender) external view returns (uint256) {
        return _allowances[owner][spender];
    }

    /// @inheritdoc IDevUSDC
    function nonces(address owner) external view returns (uint256) {
        return _nonces[owner];
    }

    /// @inheritdoc IUSDC
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
        return _authorizations[authorizer][nonce];
    }

    /// @inheritdoc IDevUSDC
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function _mint(address to, uint256 amount) private {
        require(to != address(0), "FiatToken: mint to the zero address");
        require(amount > 0, "FiatToken: mint amount not greater than 0");
        _totalSupply += amount;
        _balances[to] += amount;
        emit Mint(msg.sender, to, amount);
        emit Transfer(address(0), to, amount);
    }

    function _transfer(address from, address to, uint256 value) private {
        require(from != address(0), "ERC20: transfer from the zero address");
        require(to != address(0), "ERC20: transfer to the zero address");
        require(value <= _balances[from], "ERC20: transfer amount exceeds balance");
        _balances[from] -= value;
        _balances[to] += value;
        emit Transfer(from, to, value);
    }

    function _approve(address owner, address spender, uint256 value) private {
        require(owner != address(0), "ERC20: approve from the zero address");
        require(spender != address(0), "ERC20: approve to the zero address");
        _allowances[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    function _permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) private {
        require(deadline == type(uint256).max || deadline >= block.timestamp, "FiatTokenV2: permit is expired");
        bytes32 hash = keccak256(abi.encode(PERMIT_TYPEHASH, owner, spender, value, _nonces[owner]++, deadline));
        require(_isSignedBy(owner, hash, signature), "EIP2612: invalid signature");
        _approve(owner, spender, value);
    }

    function _moveAuthorized(bytes32 typeHash, Move memory move, bytes memory signature) private {
        require(block.timestamp > move.validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < move.validBefore, "FiatTokenV2: authorization is expired");
        _requireUnused(move.from, move.nonce);
        bytes32 hash = keccak256(
            abi.encode(typeHash, move.from, move.to, move.value, move.validAfter, move.validBefore, move.nonce)
        );
        require(_isSignedBy(move.from, hash, signature), "FiatTokenV2: invalid signature");
        _authorizations[move.from][move.nonce] = true;
        emit AuthorizationUsed(move.from, move.nonce);
        _transfer(move.from, move.to, move.value);
    }

    function _cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) private {
        _requireUnused(authorizer, nonce);
        bytes32 hash = keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce));
        require(_isSignedBy(authorizer, hash, signature), "FiatTokenV2: invalid signature");
        _authorizations[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _requireUnused(address authorizer, bytes32 nonce) private view {
        require(!_authorizations[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
    }

    function _isSignedBy(address signer, bytes32 structHash, bytes memory signature) private view returns (bool) {
        return SignatureChecker.isValidSignatureNow(signer, _hashTypedDataV4(structHash), signature);
    }
}
