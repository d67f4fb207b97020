import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { loadSeed } from '@carapace/chain-relayer'
import { issuerSource } from '@carapace/identity'
import { readConfig } from '@carapace/service'
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

  it('find their keys again after they were replaced: what a pod makes itself is lost with it', async () => {
    const pods = podsOf(await renderOverlay('dev'))
    const [relayer, identity] = ['chain-relayer', 'identity'].map(name => pods.find(pod => pod.name === name)!)
    const folder = await mkdtemp(path.join(tmpdir(), 'carapace-dev-secrets-'))
    try {
      for (const [name, value] of Object.entries({ ...relayer!.volumes.secrets, ...identity!.volumes.secrets }))
        await writeFile(path.join(folder, name), value)
      const secrets = Object.fromEntries(
        ['CUSTODY_SEED_FILE', 'CUSTODY_PASSPHRASE_FILE', 'ISSUER_KEY_FILE'].map(name => {
          const mounted = relayer!.containers[0]!.variables[name] ?? identity!.containers[0]!.variables[name]
          return [name, path.join(folder, path.basename(mounted!))]
        }),
      )
      const config = readConfig(secrets)
      const mayCreate = false

      assert.ok(await loadSeed(config.CUSTODY_SEED_FILE!, config.CUSTODY_PASSPHRASE!, mayCreate))
      const issuer = await readFile(config.ISSUER_KEY_FILE!, 'utf8')
      await issuerSource(config, 'http://localhost')()
      assert.equal(await readFile(config.ISSUER_KEY_FILE!, 'utf8'), issuer)
    } finally {
      await rm(folder, { recursive: true })
    }
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
