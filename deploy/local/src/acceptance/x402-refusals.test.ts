import assert from 'node:assert/strict'
import type { PaymentChallenge } from '@carapace/api'
import { authorizationFields, networks } from '@carapace/chain'
import { newWallet, type Player } from '@carapace/testing'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { hexlify, randomBytes } from 'ethers'
import { type Hex, serializeErc6492Signature } from 'viem'
import { platformAroundTests } from '../testing/around-tests.ts'

const chain = 'BASE_SEPOLIA'
const payTo = newWallet()
const transferFields = { TransferWithAuthorization: authorizationFields }

interface Authorization {
  from: string
  to: string
  value: string
  validAfter: string
  validBefore: string
  nonce: string
}
interface Call {
  x402Version: number
  paymentPayload: {
    x402Version: number
    scheme?: string
    network?: string
    accepted?: Record<string, unknown>
    payload: { signature: string; authorization: Authorization }
  }
  paymentRequirements: Record<string, unknown>
}
type Wallet = Player['wallet']

/** The same in both versions, or one for each. */
type Code = string | Record<'v1' | 'v2', string>
const wrongValue: Code = { v1: 'invalid_exact_evm_authorization_value', v2: 'invalid_exact_evm_payload_authorization_value_mismatch' }

/** What clients sign wrong, and the code of the standard that each has to be answered with. */
const wronglySigned: [name: string, code: Code, change: () => Partial<Authorization>][] = [
  ['another payee', 'invalid_exact_evm_recipient_mismatch', () => ({ to: newWallet() })],
  ['too small a value', wrongValue, () => ({ value: '999' })],
  ['too large a value', wrongValue, () => ({ value: '1001' })],
  ['an authorisation that has ended', 'invalid_exact_evm_payload_authorization_valid_before', () => ({ validBefore: '1' })],
  ['an authorisation that has not begun', 'invalid_exact_evm_payload_authorization_valid_after', () => ({ validAfter: inSeconds(100) })],
  ['the wallet of somebody else', 'invalid_exact_evm_signature', () => ({ from: newWallet() })],
]

/**
 * What else clients send wrong. Codes of the standard that no client gets here: `invalid_exact_evm_missing_eip712_domain`, `…_token_name_mismatch`,
 * `…_token_version_mismatch`, `…_eip3009_not_supported` and `asset_not_deployed_contract` speak of the terms and of the token, which are ours;
 * `…_failed_to_parse_signature`, `…_transaction_failed`, `…_transfer_event_mismatch` and `smart_wallet_deployment_failed` come from the packages' own
 * `settle`, in whose place a command of the relayer settles; those of Permit2, `upto` and batches come after `invalid_payload` and `…_scheme`. The
 * packages say `insufficient_funds`, `invalid_scheme` and `unsupported_scheme` of the specification in their own longer form only.
 */
const wronglySent: [name: string, code: Code, spoil: (call: Call) => unknown][] = [
  ['changes after the signature', 'invalid_exact_evm_signature', ({ paymentPayload }) => change(paymentPayload, { nonce: `0x${'1'.repeat(64)}` })],
  ['a network that is none of ours', 'invalid_network', ({ paymentPayload }) => name(paymentPayload, 'network', 'eip155:1')],
  [
    'the other network',
    'invalid_exact_evm_network_mismatch',
    ({ paymentPayload, x402Version }) => name(paymentPayload, 'network', other[x402Version]!),
  ],
  ['another scheme', 'invalid_exact_evm_scheme', ({ paymentPayload }) => name(paymentPayload, 'scheme', 'upto')],
  [
    'another version inside',
    'invalid_x402_version',
    ({ paymentPayload }) => Object.assign(paymentPayload, { x402Version: 3 - paymentPayload.x402Version }),
  ],
  [
    'the signature of a smart wallet that its factory has to deploy first',
    'eip6492_factory_not_allowed',
    ({ paymentPayload: { payload } }) => Object.assign(payload, { signature: undeployed(payload.signature) }),
  ],
  [
    'a signature that claims to be such a one and cannot be read',
    'unexpected_verify_error',
    ({ paymentPayload: { payload } }) => Object.assign(payload, { signature: payload.signature + '6492'.repeat(16) }),
  ],
  [
    'a signature in a form that the token does not accept',
    'invalid_exact_evm_transaction_simulation_failed',
    ({ paymentPayload: { payload } }) => Object.assign(payload, { signature: withParity(payload.signature) }),
  ],
  ['no signature', 'invalid_payload', ({ paymentPayload: { payload } }) => Object.assign(payload, { signature: '0x' })],
  ['an amount that is no number', 'invalid_payload', ({ paymentPayload }) => change(paymentPayload, { value: 'much' })],
  [
    'a requirement that pays others',
    'invalid_payment_requirements',
    ({ paymentRequirements }) => Object.assign(paymentRequirements, { payTo: newWallet() }),
  ],
  [
    'a requirement in another token',
    'invalid_payment_requirements',
    ({ paymentRequirements }) => Object.assign(paymentRequirements, { asset: newWallet() }),
  ],
]

const other: Record<number, string> = { 1: networks.SKALE_TESTNET.x402Name, 2: `eip155:${networks.SKALE_TESTNET.chainId}` }
const codeIn = (version: 'v1' | 'v2', code: Code) => (typeof code === 'string' ? code : code[version])
/** A signature with the call that makes its signer (ERC-6492). */
const undeployed = (signature: string) => serializeErc6492Signature({ address: newWallet() as Hex, data: '0x', signature: signature as Hex })
/** The same signature with its last byte as a parity: signers are found by it, and tokens want 27 or 28. */
const withParity = (signature: string) => signature.slice(0, -2) + (signature.endsWith('1b') ? '00' : '01')
const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds)
const change = ({ payload }: Call['paymentPayload'], fields: Partial<Authorization>) => Object.assign(payload.authorization, fields)
const name = (payload: Call['paymentPayload'], field: 'network' | 'scheme', value: string) =>
  Object.assign(payload.accepted ?? payload, { [field]: value })

describe('the facilitator refuses, in the codes of x402', function () {
  this.timeout(180_000)
  let rich: Wallet
  let poor: Wallet
  const platform = platformAroundTests({ env: { X402_PAY_TO_ADDRESS: payTo } })
  before(async () => {
    rich = (await platform.newPlayer({ usdc: 1 })).wallet
    poor = (await platform.newPlayer()).wallet
  })

  type Version = 'v1' | 'v2'
  const offered = async (version: Version): Promise<Record<string, unknown>> => {
    const { headers, body } = await platform.call('GET', `/api/reputation/check-eligibility?wallet=${newWallet()}`)
    const { accepts } = version === 'v1' ? (body as PaymentChallenge) : decodePaymentRequiredHeader(headers.get('payment-required') ?? '')
    return { ...accepts[0] }
  }
  const signed = async (version: Version, wallet: Wallet, changes: Partial<Authorization> = {}): Promise<Call> => {
    const terms = await offered(version)
    const { chainId, contracts } = platform.networks[chain]
    const from = wallet.address
    const fresh = { from, to: payTo, value: '1000', validAfter: '0', validBefore: inSeconds(300), nonce: hexlify(randomBytes(32)) }
    const authorization = { ...fresh, ...changes }
    const domain = { ...(terms.extra as object), chainId, verifyingContract: contracts.usdc }
    const payload = { signature: await wallet.signTypedData(domain, transferFields, authorization), authorization }
    const x402Version = version === 'v1' ? 1 : 2
    const named = version === 'v1' ? { scheme: 'exact', network: networks[chain].x402Name } : { accepted: { ...terms } }
    return { x402Version, paymentPayload: { x402Version, ...named, payload }, paymentRequirements: terms }
  }
  const post = async (what: 'verify' | 'settle', call: Call) => {
    const { status, body } = await platform.call('POST', `/facilitator/${what}`, { body: call })
    return [status, what === 'verify' ? body.isValid : body.success, what === 'verify' ? body.invalidReason : body.errorReason]
  }
  const both = async (call: Call) => [await post('verify', call), await post('settle', call)]
  const refused = (code: string) => [
    [200, false, code],
    [200, false, code],
  ]

  for (const version of ['v1', 'v2'] as const)
    describe(`in ${version}`, () => {
      for (const [what, code, changes] of wronglySigned)
        it(`${what}: ${codeIn(version, code)}`, async () => {
          assert.deepEqual(await both(await signed(version, rich, changes())), refused(codeIn(version, code)))
        })

      for (const [what, code, spoil] of wronglySent)
        it(`${what}: ${codeIn(version, code)}`, async () => {
          const call = await signed(version, rich)
          spoil(call)

          assert.deepEqual(await both(call), refused(codeIn(version, code)))
        })

      it('a wallet without the money: invalid_exact_evm_insufficient_balance', async () => {
        assert.deepEqual(await both(await signed(version, poor)), refused('invalid_exact_evm_insufficient_balance'))
      })

      it('a nonce that was used: invalid_exact_evm_nonce_already_used', async () => {
        const call = await signed(version, rich)

        assert.deepEqual((await post('settle', call))[1], true)
        assert.deepEqual(await both(call), refused('invalid_exact_evm_nonce_already_used'))
      })
    })

  describe('and moves no money', () => {
    it('but that of the two payments that it settled', async () => {
      assert.equal(await platform.usdcOf(chain, payTo), 2_000n)
    })
  })
})
