import assert from 'node:assert/strict'
import { ofKind, renderOverlay } from '../kubernetes/manifests.ts'
import { buildOf } from './images.ts'
import { podsOf } from './pods.ts'

describe('pods of the overlay dev', () => {
  it('are those of its Deployments, with everything that these refer to', async () => {
    const manifests = await renderOverlay('dev')

    const pods = podsOf(manifests)

    assert.deepEqual(
      pods.map(({ name }) => name).toSorted(),
      ofKind(manifests, 'Deployment')
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    )
    const relayer = pods.at(-1)!
    assert.equal(relayer.name, 'chain-relayer')
    assert.deepEqual(
      relayer.first.map(({ name }) => name),
      ['contracts'],
    )
    assert.equal(relayer.volumes.secrets!['base-sepolia-rpc-url'], 'http://anvil-base-sepolia:8545')
    assert.deepEqual(relayer.volumes.addresses, {})
    assert.equal(relayer.containers[0]!.variables.AUTH_MODE, 'signed')
    assert.deepEqual(relayer.containers[0]!.probe, { port: 3000, path: '/readyz' })
  })

  it('refuse what is not declared', async () => {
    const manifests = await renderOverlay('dev')

    assert.throws(() => podsOf(manifests.filter(({ kind }) => kind !== 'Secret')), /^Error: Secret carapace-\w+ is not declared$/)
  })

  it('are of images that the Dockerfile builds, or of others', () => {
    assert.deepEqual(buildOf('carapace/escrow:dev'), ['--build-arg', 'SERVICE=services/escrow'])
    assert.deepEqual(buildOf('carapace/devnet:dev'), ['--target', 'devnet'])
    assert.equal(buildOf('rabbitmq:4-management'), undefined)
  })
})
