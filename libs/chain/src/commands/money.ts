import { id } from 'ethers'
import { z } from 'zod'
import { command, nothing } from '../command.ts'
import { address, amount, bytes32, keyId, positive, signature } from '../fields.ts'
import { paymentNonce } from '../keys.ts'
import { fundingReverts } from './funding.ts'

/** An x402 payment and its return. */
const atIntake = (paymentId: string): string => `x402:${paymentId}`

/**
 * A payment out of a custodial wallet, or out of the intake (`from` = the lane's address) back to its payer. The token refuses the nonce a second time.
 * Those of one wallet stay in order. The intake holds the money of many: a return builds only on the payment that it returns.
 */
export const treasuryPay = command({
  kind: 'treasury.pay',
  args: { paymentId: keyId, from: address, to: address, amount: positive, isReturn: z.literal(true).optional() },
  key: ['paymentId'],
  aggregate: ({ isReturn, paymentId, from }) => (isReturn ? atIntake(paymentId) : `wallet:${from}`),
  gas: 95_000n,
  batchable: true,
  authorization: a => ({ type: 'TransferWithAuthorization', from: a.from, to: a.to, value: a.amount, nonce: paymentNonce(a.paymentId) }),
  finalReverts: [...fundingReverts],
  needs: ({ isReturn }) => [{ kind: isReturn ? 'treasury.settle-x402' : 'faucet.mint' }],
  call: (a, signed) => ({
    contract: 'USDC',
    fn: 'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
    args: [a.from, a.to, a.amount, signed!.validAfter, signed!.validBefore, signed!.nonce, signed!.signature],
  }),
  effect: a => ({ contract: 'USDC', fn: 'authorizationState', args: [a.from, paymentNonce(a.paymentId)], isOurs: ([used]) => used === true }),
})

/**
 * Settles an x402 payment: an authorisation that a buyer signed. Anyone may submit it, and its signer may cancel it, so a used nonce proves no
 * payment: where the effect was there already, the consumer of the outcome reads the transaction.
 */
export const treasurySettleX402 = command({
  kind: 'treasury.settle-x402',
  args: { paymentId: keyId, from: address, to: address, amount: positive, validAfter: amount, validBefore: amount, nonce: bytes32, signature },
  key: ['paymentId'],
  aggregate: ({ paymentId }) => atIntake(paymentId),
  gas: 110_000n,
  batchable: true,
  finalReverts: [...fundingReverts],
  needs: nothing,
  isEntry: true,
  call: a => ({
    contract: 'USDC',
    fn: 'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
    args: [a.from, a.to, a.amount, a.validAfter, a.validBefore, a.nonce, a.signature],
  }),
  endsAt: a => a.validBefore,
  effect: a => ({ contract: 'USDC', fn: 'authorizationState', args: [a.from, a.nonce], isOurs: ([used]) => used === true }),
})

/** Test USDC out of nothing. */
export const faucetMint = command({
  kind: 'faucet.mint',
  args: { requestId: keyId, to: address, amount: positive },
  key: ['requestId'],
  aggregate: ({ to }) => `wallet:${to}`,
  gas: 105_000n,
  batchable: false,
  only: 'devnet',
  finalReverts: ['FiatToken: mint to the zero address', 'FiatToken: mint amount not greater than 0'],
  needs: nothing,
  call: a => ({ contract: 'USDC', fn: 'mintOnce', args: [a.to, a.amount, id(a.requestId)] }),
  effect: a => ({ contract: 'USDC', fn: 'isDone', args: [id(a.requestId)], isOurs: ([done]) => done === true }),
})

/** Test gas money in addition. */
export const faucetGas = command({
  kind: 'faucet.gas',
  args: { requestId: keyId, to: address, wei: positive },
  key: ['requestId'],
  aggregate: ({ to }) => `wallet:${to}`,
  gas: 21_000n,
  batchable: false,
  only: 'devnet',
  finalReverts: [],
  needs: nothing,
  call: a => ({ to: a.to, value: a.wei }),
})
