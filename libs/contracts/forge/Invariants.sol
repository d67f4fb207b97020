// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface ICallers {
    /// @dev Reverts unless the books equal the balances.
    function check() external view;
    function emptyByTimeAlone() external;
    function isEmpty() external view returns (bool);
}

/// @title What holds after any sequence of calls to a contract that holds money
abstract contract Invariants {
    ICallers private _callers;

    function setUp() public {
        _callers = ICallers(_newCallers());
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_callers);
    }

    function invariant_booksEqualBalances() public view {
        _callers.check();
    }

    /// @dev Runs after each sequence: nothing but time is needed to empty the contract.
    function afterInvariant() public {
        _callers.emptyByTimeAlone();
        require(_callers.isEmpty(), "USDC is left over");
    }

    function _newCallers() internal virtual returns (address);
}
