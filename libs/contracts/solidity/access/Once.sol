// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Business keys that count once
/// @notice The relayer may send a command again after a crash; the contract that it calls refuses the second effect.
abstract contract Once {
    mapping(bytes32 key => bool used) private _done;

    /// @notice The effect named by this key has already happened.
    error Once_AlreadyDone(bytes32 key);

    modifier once(bytes32 key) {
        require(!_done[key], Once_AlreadyDone(key));
        _done[key] = true;
        _;
    }

    /// @notice Whether the effect named by `key` has happened.
    function isDone(bytes32 key) public view returns (bool) {
        return _done[key];
    }
}
