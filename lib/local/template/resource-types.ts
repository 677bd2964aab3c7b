import { StageError } from '../stage-error.ts';
import type { Template } from './template.ts';

const knownTypes = new Set([
  // These the stage makes.
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Events::Rule',
  'AWS::IAM::Role',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::S3::Bucket',
  'AWS::SQS::Queue',
  'AWS::SecretsManager::Secret',

  // These have no counterpart on one machine.
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::Stage',
  'AWS::CDK::Metadata',
  // The alarms.
  'AWS::CloudFormation::Stack',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::LogGroup',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::WAFv2::WebACL',
  'AWS::WAFv2::WebACLAssociation',
  // This resource empties a bucket before its deletion.
  'Custom::S3AutoDeleteObjects',
]);

/** Throws `StageError` for a resource that the stage would otherwise leave out in silence. */
export function refuseUnknownTypes({ Resources }: Template): void {
  for (const [id, { Type }] of Object.entries(Resources)) {
    if (!knownTypes.has(Type)) throw new StageError(`The local stage can't make ${Type} (${id}).`);
  }
}
