import { CfnOutput } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Construct } from 'constructs';

export interface CustomDomainProps {
  readonly api: apigateway.RestApi;
  readonly name: string;
  /** The ARN of a certificate for the name, in the stack's region. */
  readonly certificateArn: string;
}

/** The operator's own domain with TLS 1.2. A CNAME or an alias must point to the output `DomainTarget`. */
export class CustomDomain extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, { api, name, certificateArn }: CustomDomainProps) {
    super(scope, id);
    const domain = new apigateway.DomainName(this, 'name', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'certificate', certificateArn),
      endpointType: apigateway.EndpointType.REGIONAL,
      securityPolicy: apigateway.SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
      endpointAccessMode: apigateway.EndpointAccessMode.BASIC,
      // The class differs from its interface only under `exactOptionalPropertyTypes`.
      mapping: api as apigateway.IRestApi,
    });
    this.url = `https://${name}`;
    const value = domain.domainNameAliasDomainName;
    new CfnOutput(this, 'target', { value }).overrideLogicalId('DomainTarget');
  }
}
