/** Kinds of operators for which no package has types: what we use of their definitions, closed. */
import type { IAffinity } from 'kubernetes-models/v1/Affinity'
import type { IPodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec'
import type { IResourceRequirements } from 'kubernetes-models/v1/ResourceRequirements'

interface Named {
  name: string
  namespace?: string
  labels?: Record<string, string>
}

/** Each container has a name, by which the operator finds its own; the rest is put over what it makes. */
interface TemplateOverride {
  spec: { template: { metadata?: { labels?: Record<string, string> }; spec: Partial<NonNullable<IPodTemplateSpec['spec']>> } }
}

/** rabbitmq.com/v1beta1 (RabbitMQ Cluster Operator 2). */
export interface IRabbitmqCluster {
  apiVersion: 'rabbitmq.com/v1beta1'
  kind: 'RabbitmqCluster'
  metadata: Named
  spec: {
    replicas?: number
    image?: string
    persistence?: { storage?: string; storageClassName?: string }
    resources?: IResourceRequirements
    rabbitmq?: { additionalConfig?: string; additionalPlugins?: string[]; advancedConfig?: string; envConfig?: string }
    affinity?: IAffinity
    terminationGracePeriodSeconds?: number
    override?: { statefulSet?: TemplateOverride }
  }
}

/** mongodbcommunity.mongodb.com/v1 (MongoDB Community Operator). */
export interface IMongoDBCommunity {
  apiVersion: 'mongodbcommunity.mongodb.com/v1'
  kind: 'MongoDBCommunity'
  metadata: Named
  spec: {
    members: number
    type: 'ReplicaSet'
    version: string
    security: { authentication: { modes: 'SCRAM'[] } }
    users: {
      name: string
      db: string
      passwordSecretRef: { name: string; key?: string }
      scramCredentialsSecretName: string
      connectionStringSecretName?: string
      roles: { name: string; db: string }[]
    }[]
    additionalMongodConfig?: Record<string, unknown>
    statefulSet?: TemplateOverride
  }
}
