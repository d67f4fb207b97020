import assert from 'node:assert/strict'
import { type ContractName, interfaceOf } from '../artifact.ts'
import { differences } from '../build/manifest.ts'

// Selectors and topics as the standards' own texts and their clients have them (first four bytes).
const functions: Partial<Record<ContractName, Record<string, string>>> = {
  Commerce: {
    'createJob(address,address,uint256,string,address)': '0x41528812',
    'createJob(address,address,uint256,string,address,uint256)': '0x1c226749',
    'setProvider(uint256,address,uint256)': '0xfac3246c',
    'setBudget(uint256,address,uint256,bytes)': '0xf3302b89',
    'setProvider(uint256,address,bytes)': '0xc9a84bb9',
    'setProvider(uint256,address)': '0xd0fae591',
    'setBudget(uint256,uint256,bytes)': '0xdd4ae9d4',
    'fund(uint256,uint256,bytes)': '0xd2e13f50',
    'fund(uint256,bytes)': '0xe25ba707',
    'submit(uint256,bytes32,bytes)': '0x9e63798d',
    'complete(uint256,bytes32,bytes)': '0xd75bbdf3',
    'reject(uint256,bytes32,bytes)': '0x41dd26f5',
    'claimRefund(uint256)': '0x5b7baf64',
    'getJob(uint256)': '0xbf22c457',
  },
  DomainResolver: {
    'addr(bytes32)': '0x3b3b57de',
    'name(bytes32)': '0x691f3431',
    'text(bytes32,string)': '0x59d1d43c',
    'contenthash(bytes32)': '0xbc1c58d1',
    'addr(bytes32,uint256)': '0xf1cb7e06',
  },
  Card: { 'locked(uint256)': '0xb45a3c0e' },
  Escrow: { 'lockUSDCViaX402(bytes32,address,address,uint256)': '' },
  ReputationAdapter: { 'checkEligibility(address,uint256,uint256)': '' },
  IdentityRegistry: {
    'register()': '0x1aa3a008',
    'register(string)': '0xf2c298be',
    'register(string,(string,bytes)[])': '0x8ea42286',
    'setAgentURI(uint256,string)': '',
    'getMetadata(uint256,string)': '',
    'setMetadata(uint256,string,bytes)': '',
    'getAgentWallet(uint256)': '',
    'setAgentWallet(uint256,address,uint256,bytes)': '',
    'unsetAgentWallet(uint256)': '',
    'isAuthorizedOrOwner(address,uint256)': '',
    'tokenURI(uint256)': '',
    'getVersion()': '',
  },
  ReputationRegistry: {
    'giveFeedback(uint256,int128,uint8,string,string,string,string,bytes32)': '',
    'revokeFeedback(uint256,uint64)': '',
    'appendResponse(uint256,address,uint64,string,bytes32)': '',
    'getSummary(uint256,address[],string,string)': '',
    'readFeedback(uint256,address,uint64)': '',
    'readAllFeedback(uint256,address[],string,string,bool)': '',
    'getResponseCount(uint256,address,uint64,address[])': '',
    'getClients(uint256)': '',
    'getLastIndex(uint256,address)': '',
    'getIdentityRegistry()': '',
  },
  ValidationRegistry: {
    'validationRequest(address,uint256,string,bytes32)': '',
    'validationResponse(bytes32,uint8,string,bytes32,string)': '',
    'getValidationStatus(bytes32)': '',
    'getSummary(uint256,address[],string)': '',
    'getAgentValidations(uint256)': '',
    'getValidatorRequests(address)': '',
  },
  DevUSDC: {
    'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)': '0xd505accf',
    'permit(address,address,uint256,uint256,bytes)': '0x9fd5a6cf',
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)': '0xe3ee160e',
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)': '0xcf092995',
    'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)': '0xef55bec6',
    'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)': '0x88b7ab63',
    'cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)': '0x5a049a70',
    'cancelAuthorization(address,bytes32,bytes)': '0xb7b72899',
    'authorizationState(address,bytes32)': '0xe94a0102',
    'DOMAIN_SEPARATOR()': '0x3644e515',
  },
  Multicall3: {
    'aggregate((address,bytes)[])': '0x252dba42',
    'aggregate3((address,bool,bytes)[])': '0x82ad56cb',
    'aggregate3Value((address,bool,uint256,bytes)[])': '0x174dea71',
    'tryAggregate(bool,(address,bytes)[])': '0xbce38bd7',
    'getEthBalance(address)': '0x4d2301cc',
  },
}

const events: Partial<Record<ContractName, Record<string, string>>> = {
  Commerce: {
    'JobCreated(bytes32,address,uint256)': '0xc9f761ce',
    'JobFunded(bytes32,address)': '0x4f062cf5',
    'JobAssigned(bytes32,address)': '0x6d9400c7',
    'JobSubmitted(bytes32,bytes32)': '0xf7a40410',
    'JobSettled(bytes32,address,uint256)': '0xe7c1990c',
    'JobDisputed(bytes32,address)': '0x30aa1987',
    'JobCreated(uint256,address,address,address,uint256,address)': '0xb0f0239b',
    'ProviderSet(uint256,address)': '0x9a87df07',
    'BudgetSet(uint256,uint256)': '0x869e2577',
    'JobFunded(uint256,address,uint256)': '0xe3fbcc1e',
    'JobSubmitted(uint256,address,bytes32)': '0x80c17db7',
    'JobCompleted(uint256,address,bytes32)': '0x0fd54bd3',
    'JobRejected(uint256,address,bytes32)': '0xae7362b1',
    'JobExpired(uint256)': '0x97237956',
    'PaymentReleased(uint256,address,uint256)': '0x21d71db5',
    'Refunded(uint256,address,uint256)': '0x7ca5472b',
    'PlatformFeePaid(uint256,address,uint256)': '0x0e61cfd0',
  },
  IdentityRegistry: {
    'Registered(uint256,string,address)': '',
    'MetadataSet(uint256,string,string,bytes)': '',
    'URIUpdated(uint256,string,address)': '',
  },
  ReputationRegistry: {
    'NewFeedback(uint256,address,uint64,int128,uint8,string,string,string,string,string,bytes32)': '',
    'FeedbackRevoked(uint256,address,uint64)': '',
    'ResponseAppended(uint256,address,uint64,address,string,bytes32)': '',
  },
  ValidationRegistry: {
    'ValidationRequest(address,uint256,string,bytes32)': '',
    'ValidationResponse(address,uint256,bytes32,uint8,string,bytes32,string)': '',
  },
  Card: { 'Locked(uint256)': '', 'Unlocked(uint256)': '', 'MetadataUpdate(uint256)': '', 'BatchMetadataUpdate(uint256,uint256)': '' },
  EnsRegistry: {
    'NewOwner(bytes32,bytes32,address)': '',
    'Transfer(bytes32,address)': '',
    'NewResolver(bytes32,address)': '',
    'NewTTL(bytes32,uint64)': '',
  },
}

// The platform's six events: which parameters are indexed.
const indexed: Record<string, string> = {
  JobCreated: 'jobId poster',
  JobFunded: 'jobId funder',
  JobAssigned: 'jobId assignee',
  JobSubmitted: 'jobId',
  JobSettled: 'jobId payee',
  JobDisputed: 'jobId disputer',
}

const commerceErrors = [
  'InvalidJob',
  'InvalidHook',
  'WrongStatus',
  'Unauthorized',
  'ZeroAddress',
  'ExpiryTooShort',
  'ZeroBudget',
  'ProviderNotSet',
  'BudgetMismatch',
  'ProviderCannotBeEvaluator',
  'GracePeriodActive',
]

describe('ABI', () => {
  for (const [contract, expected] of Object.entries(functions)) {
    it(`has the standard functions of ${contract}`, () => {
      for (const [signature, selector] of Object.entries(expected)) {
        const found = interfaceOf(contract as ContractName).getFunction(signature)
        assert.ok(found, signature)
        if (selector) assert.equal(found.selector, selector, signature)
      }
    })
  }

  for (const [contract, expected] of Object.entries(events)) {
    it(`has the standard events of ${contract}`, () => {
      for (const [signature, topic] of Object.entries(expected)) {
        const found = interfaceOf(contract as ContractName).getEvent(signature)
        assert.ok(found, signature)
        assert.ok(found.topicHash.startsWith(topic), signature)
      }
    })
  }

  it("indexes the platform's six events as its specification does", () => {
    for (const signature of Object.keys(events.Commerce ?? {}).slice(0, 6)) {
      const event = interfaceOf('Commerce').getEvent(signature)
      const names = event?.inputs.filter(input => input.indexed).map(input => input.name)
      assert.equal(names?.join(' '), indexed[event?.name ?? ''], signature)
    }
  })

  it('has the ERC-8183 errors without arguments', () => {
    for (const name of commerceErrors) assert.equal(interfaceOf('Commerce').getError(name)?.inputs.length, 0, name)
  })

  it('is that of the sources as they are', () => {
    assert.deepEqual(differences(), [])
  })
})
