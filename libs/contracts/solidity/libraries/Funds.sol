// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IUSDC, Authorization} from "../interfaces/IUSDC.sol";

/// @title Incoming USDC
/// @notice Books record what arrived: a token that delivers less than the transferred amount is refused.
library Funds {
    using SafeERC20 for IUSDC;

    /// @notice The token delivered an amount other than the expected one.
    error Funds_ShortTransfer(uint256 expected, uint256 received);

    function pull(IUSDC token, address from, uint256 amount) internal {
        uint256 before = token.balanceOf(address(this));
        token.safeTransferFrom(from, address(this), amount);
        requireReceived(token, before, amount);
    }

    /// @dev `nonce` is the business key, so one signature pays for one thing.
    function pullSigned(IUSDC token, Authorization calldata auth, uint256 amount, bytes32 nonce) internal {
        uint256 before = token.balanceOf(address(this));
        token.receiveWithAuthorization({
            from: auth.from,
            to: address(this),
            value: amount,
            validAfter: auth.validAfter,
            validBefore: auth.validBefore,
            nonce: nonce,
            signature: auth.signature
        });
        requireReceived(token, before, amount);
    }

    function requireReceived(IUSDC token, uint256 before, uint256 amount) internal view {
        uint256 received = token.balanceOf(address(this)) - before;
        require(received == amount, Funds_ShortTransfer(amount, received));
    }
}
