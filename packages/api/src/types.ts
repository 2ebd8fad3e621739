// Written by scripts/import-facts.mjs; type-line.ts reads it.
/** The group/versions in which DeleteOptions and WatchEvent are known. */
export const everywhere =
  '/v1 admission.k8s.io/v1 admission.k8s.io/v1beta1 admissionregistration.k8s.io/v1 admissionregistration.k8s.io/v1alpha1 admissionregistration.k8s.io/v1beta1 apiextensions.k8s.io/v1 apiextensions.k8s.io/v1beta1 apiregistration.k8s.io/v1 apiregistration.k8s.io/v1beta1 apps/v1 apps/v1beta1 apps/v1beta2 authentication.k8s.io/v1 authentication.k8s.io/v1alpha1 authentication.k8s.io/v1beta1 authorization.k8s.io/v1 authorization.k8s.io/v1beta1 autoscaling/v1 autoscaling/v2 batch/v1 batch/v1beta1 certificates.k8s.io/v1 certificates.k8s.io/v1alpha1 certificates.k8s.io/v1beta1 coordination.k8s.io/v1 coordination.k8s.io/v1alpha2 coordination.k8s.io/v1beta1 discovery.k8s.io/v1 discovery.k8s.io/v1beta1 events.k8s.io/v1 events.k8s.io/v1beta1 extensions/v1beta1 flowcontrol.apiserver.k8s.io/v1 flowcontrol.apiserver.k8s.io/v1beta1 flowcontrol.apiserver.k8s.io/v1beta2 flowcontrol.apiserver.k8s.io/v1beta3 imagepolicy.k8s.io/v1alpha1 internal.apiserver.k8s.io/v1alpha1 networking.k8s.io/v1 networking.k8s.io/v1beta1 node.k8s.io/v1 node.k8s.io/v1alpha1 node.k8s.io/v1beta1 policy/v1 policy/v1beta1 rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1alpha1 rbac.authorization.k8s.io/v1beta1 resource.k8s.io/v1 resource.k8s.io/v1alpha3 resource.k8s.io/v1beta1 resource.k8s.io/v1beta2 scheduling.k8s.io/v1 scheduling.k8s.io/v1alpha2 scheduling.k8s.io/v1beta1 storage.k8s.io/v1 storage.k8s.io/v1alpha1 storage.k8s.io/v1beta1 storagemigration.k8s.io/v1beta1';
export const typeLines = `@io.k8s.api.admissionregistration.v1 admissionregistration.k8s.io/v1
ApplyConfiguration: expression 1 string
AuditAnnotation: key 1 string ! =; valueExpression 2 string ! =
ExpressionWarning: fieldRef 2 string ! =; warning 3 string ! =
JSONPatch: expression 1 string
MatchCondition: name 1 string ! =; expression 2 string ! =
MatchResources atomic: namespaceSelector 1 meta.v1.LabelSelector; objectSelector 2 meta.v1.LabelSelector; resourceRules 3 []NamedRuleWithOperations atomic; excludeResourceRules 4 []NamedRuleWithOperations atomic; matchPolicy 7 string enum(Equivalent,Exact)
MutatingAdmissionPolicy kind: metadata 1 meta.v1.ObjectMeta =; spec 2 MutatingAdmissionPolicySpec =
MutatingAdmissionPolicyBinding kind: metadata 1 meta.v1.ObjectMeta =; spec 2 MutatingAdmissionPolicyBindingSpec =
MutatingAdmissionPolicyBindingList kind: metadata 1 meta.v1.ListMeta =; items 2 []MutatingAdmissionPolicyBinding !
MutatingAdmissionPolicyBindingSpec: policyName 1 string; paramRef 2 ParamRef; matchResources 3 MatchResources
MutatingAdmissionPolicyList kind: metadata 1 meta.v1.ListMeta =; items 2 []MutatingAdmissionPolicy !
MutatingAdmissionPolicySpec: paramKind 1 ParamKind; matchConstraints 2 MatchResources; variables 3 []Variable atomic; mutations 4 []Mutation atomic; failurePolicy 5 string enum(Fail,Ignore); matchConditions 6 []MatchCondition map(name) patch(merge) key(name); reinvocationPolicy 7 string enum(IfNeeded,Never)
MutatingWebhook: name 1 string ! =; clientConfig 2 WebhookClientConfig ! =; rules 3 []RuleWithOperations atomic; failurePolicy 4 string enum(Fail,Ignore); matchPolicy 9 string enum(Equivalent,Exact); namespaceSelector 5 meta.v1.LabelSelector; objectSelector 11 meta.v1.LabelSelector; sideEffects 6 string ! enum(None,NoneOnDryRun,Some,Unknown); timeoutSeconds 7 int32; admissionReviewVersions 8 []string ! atomic; reinvocationPolicy 10 string enum(IfNeeded,Never); matchConditions 12 []MatchCondition map(name) patch(merge) key(name)
MutatingWebhookConfiguration kind: metadata 1 meta.v1.ObjectMeta =; webhooks 2 []MutatingWebhook map(name) patch(merge) key(name)
MutatingWebhookConfigurationList kind: metadata 1 meta.v1.ListMeta =; items 2 []MutatingWebhookConfiguration !
Mutation: patchType 2 string ! = enum(ApplyConfiguration,JSONPatch); applyConfiguration 3 ApplyConfiguration; jsonPatch 4 JSONPatch
NamedRuleWithOperations atomic: resourceNames 1 []string atomic; operations 2.1 []string atomic enum(*,CONNECT,CREATE,DELETE,UPDATE); apiGroups 2.2.1 []string atomic; apiVersions 2.2.2 []string atomic; resources 2.2.3 []string atomic; scope 2.2.4 string enum(*,Cluster,Namespaced)
ParamKind atomic: apiVersion 1 string; kind 2 string
ParamRef atomic: name 1 string; namespace 2 string; selector 3 meta.v1.LabelSelector; parameterNotFoundAction 4 string
RuleWithOperations: operations 1 []string atomic enum(*,CONNECT,CREATE,DELETE,UPDATE); apiGroups 2.1 []string atomic; apiVersions 2.2 []string atomic; resources 2.3 []string atomic; scope 2.4 string enum(*,Cluster,Namespaced)
ServiceReference: namespace 1 string ! =; name 2 string ! =; path 3 string; port 4 int32
TypeChecking: expressionWarnings 1 []ExpressionWarning atomic
ValidatingAdmissionPolicy kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ValidatingAdmissionPolicySpec =; status 3 ValidatingAdmissionPolicyStatus =
ValidatingAdmissionPolicyBinding kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ValidatingAdmissionPolicyBindingSpec ! =
ValidatingAdmissionPolicyBindingList kind: metadata 1 meta.v1.ListMeta =; items 2 []ValidatingAdmissionPolicyBinding !
ValidatingAdmissionPolicyBindingSpec: policyName 1 string !; paramRef 2 ParamRef; matchResources 3 MatchResources; validationActions 4 []string ! set enum(Audit,Deny,Warn)
ValidatingAdmissionPolicyList kind: metadata 1 meta.v1.ListMeta =; items 2 []ValidatingAdmissionPolicy !
ValidatingAdmissionPolicySpec: paramKind 1 ParamKind; matchConstraints 2 MatchResources; validations 3 []Validation atomic; failurePolicy 4 string enum(Fail,Ignore); auditAnnotations 5 []AuditAnnotation atomic; matchConditions 6 []MatchCondition map(name) patch(merge) key(name); variables 7 []Variable map(name) patch(merge) key(name)
ValidatingAdmissionPolicyStatus: observedGeneration 1 int64; typeChecking 2 TypeChecking; conditions 3 []meta.v1.Condition map(type)
ValidatingWebhook: name 1 string ! =; clientConfig 2 WebhookClientConfig ! =; rules 3 []RuleWithOperations atomic; failurePolicy 4 string enum(Fail,Ignore); matchPolicy 9 string enum(Equivalent,Exact); namespaceSelector 5 meta.v1.LabelSelector; objectSelector 10 meta.v1.LabelSelector; sideEffects 6 string ! enum(None,NoneOnDryRun,Some,Unknown); timeoutSeconds 7 int32; admissionReviewVersions 8 []string ! atomic; matchConditions 11 []MatchCondition map(name) patch(merge) key(name)
ValidatingWebhookConfiguration kind: metadata 1 meta.v1.ObjectMeta =; webhooks 2 []ValidatingWebhook map(name) patch(merge) key(name)
ValidatingWebhookConfigurationList kind: metadata 1 meta.v1.ListMeta =; items 2 []ValidatingWebhookConfiguration !
Validation: expression 1 string ! =; message 2 string; reason 3 string; messageExpression 4 string
Variable atomic: name 1 string ! =; expression 2 string ! =
WebhookClientConfig: url 3 string; service 1 ServiceReference; caBundle 2 bytes
@io.k8s.api.admissionregistration.v1beta1 admissionregistration.k8s.io/v1beta1
MutatingWebhookConfiguration kind: metadata 1 meta.v1.ObjectMeta =; webhooks 2 []MutatingWebhook map(name) patch(merge) key(name)
MutatingWebhook: name 1 string ! =; clientConfig 2 WebhookClientConfig ! =; rules 3 []admissionregistration.v1.RuleWithOperations; failurePolicy 4 string enum(Fail,Ignore); matchPolicy 9 string enum(Equivalent,Exact); namespaceSelector 5 meta.v1.LabelSelector; objectSelector 11 meta.v1.LabelSelector; sideEffects 6 string enum(None,NoneOnDryRun,Some,Unknown); timeoutSeconds 7 int32; admissionReviewVersions 8 []string atomic; reinvocationPolicy 10 string enum(IfNeeded,Never); matchConditions 12 []MatchCondition map(name) patch(merge) key(name)
WebhookClientConfig: url 3 string; service 1 ServiceReference; caBundle 2 bytes
ServiceReference: namespace 1 string ! =; name 2 string ! =; path 3 string; port 4 int32
MatchCondition: name 1 string ! =; expression 2 string ! =
MutatingWebhookConfigurationList kind: metadata 1 meta.v1.ListMeta =; items 2 []MutatingWebhookConfiguration !
ValidatingWebhookConfiguration kind: metadata 1 meta.v1.ObjectMeta =; webhooks 2 []ValidatingWebhook map(name) patch(merge) key(name)
ValidatingWebhook: name 1 string ! =; clientConfig 2 WebhookClientConfig ! =; rules 3 []admissionregistration.v1.RuleWithOperations; failurePolicy 4 string enum(Fail,Ignore); matchPolicy 9 string enum(Equivalent,Exact); namespaceSelector 5 meta.v1.LabelSelector; objectSelector 10 meta.v1.LabelSelector; sideEffects 6 string enum(None,NoneOnDryRun,Some,Unknown); timeoutSeconds 7 int32; admissionReviewVersions 8 []string atomic; matchConditions 11 []MatchCondition map(name) patch(merge) key(name)
ValidatingWebhookConfigurationList kind: metadata 1 meta.v1.ListMeta =; items 2 []ValidatingWebhookConfiguration !
@io.k8s.api.apps.v1 apps/v1
ControllerRevision kind: metadata 1 meta.v1.ObjectMeta =; data 2 *pkg.runtime.RawExtension; revision 3 int64 ! =
ControllerRevisionList kind: metadata 1 meta.v1.ListMeta =; items 2 []ControllerRevision !
DaemonSet kind: metadata 1 meta.v1.ObjectMeta =; spec 2 DaemonSetSpec =; status 3 DaemonSetStatus =
DaemonSetCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string
DaemonSetList kind: metadata 1 meta.v1.ListMeta =; items 2 []DaemonSet !
DaemonSetSpec: selector 1 meta.v1.LabelSelector !; template 2 core.v1.PodTemplateSpec ! =; updateStrategy 3 DaemonSetUpdateStrategy =; minReadySeconds 4 int32; revisionHistoryLimit 6 int32
DaemonSetStatus: currentNumberScheduled 1 int32 ! =; numberMisscheduled 2 int32 ! =; desiredNumberScheduled 3 int32 ! =; numberReady 4 int32 ! =; observedGeneration 5 int64; updatedNumberScheduled 6 int32; numberAvailable 7 int32; numberUnavailable 8 int32; collisionCount 9 int32; conditions 10 []DaemonSetCondition map(type) patch(merge) key(type)
DaemonSetUpdateStrategy: type 1 string enum(OnDelete,RollingUpdate); rollingUpdate 2 RollingUpdateDaemonSet
Deployment kind: metadata 1 meta.v1.ObjectMeta =; spec 2 DeploymentSpec =; status 3 DeploymentStatus =
DeploymentCondition: type 1 string ! =; status 2 string ! =; lastUpdateTime 6 time; lastTransitionTime 7 time; reason 4 string; message 5 string
DeploymentList kind: metadata 1 meta.v1.ListMeta =; items 2 []Deployment !
DeploymentSpec: replicas 1 int32; selector 2 meta.v1.LabelSelector !; template 3 core.v1.PodTemplateSpec ! =; strategy 4 DeploymentStrategy = patch(retainKeys); minReadySeconds 5 int32; revisionHistoryLimit 6 int32; paused 7 boolean; progressDeadlineSeconds 9 int32
DeploymentStatus: observedGeneration 1 int64; replicas 2 int32; updatedReplicas 3 int32; readyReplicas 7 int32; availableReplicas 4 int32; unavailableReplicas 5 int32; terminatingReplicas 9 int32; conditions 6 []DeploymentCondition map(type) patch(merge) key(type); collisionCount 8 int32
DeploymentStrategy: type 1 string enum(Recreate,RollingUpdate); rollingUpdate 2 RollingUpdateDeployment
ReplicaSet kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ReplicaSetSpec =; status 3 ReplicaSetStatus =
ReplicaSetCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string
ReplicaSetList kind: metadata 1 meta.v1.ListMeta =; items 2 []ReplicaSet !
ReplicaSetSpec: replicas 1 int32; minReadySeconds 4 int32; selector 2 meta.v1.LabelSelector !; template 3 core.v1.PodTemplateSpec =
ReplicaSetStatus: replicas 1 int32 ! =; fullyLabeledReplicas 2 int32; readyReplicas 4 int32; availableReplicas 5 int32; terminatingReplicas 7 int32; observedGeneration 3 int64; conditions 6 []ReplicaSetCondition map(type) patch(merge) key(type)
RollingUpdateDaemonSet: maxUnavailable 1 intOrString; maxSurge 2 intOrString
RollingUpdateDeployment: maxUnavailable 1 intOrString; maxSurge 2 intOrString
RollingUpdateStatefulSetStrategy: partition 1 int32; maxUnavailable 2 intOrString
StatefulSet kind: metadata 1 meta.v1.ObjectMeta =; spec 2 StatefulSetSpec =; status 3 StatefulSetStatus =
StatefulSetCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string
StatefulSetList kind: metadata 1 meta.v1.ListMeta =; items 2 []StatefulSet !
StatefulSetOrdinals: start 1 int32 =
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted 1 string; whenScaled 2 string
StatefulSetSpec: replicas 1 int32; selector 2 meta.v1.LabelSelector !; template 3 core.v1.PodTemplateSpec ! =; volumeClaimTemplates 4 []core.v1.PersistentVolumeClaim atomic; serviceName 5 string =; podManagementPolicy 6 string enum(OrderedReady,Parallel); updateStrategy 7 StatefulSetUpdateStrategy =; revisionHistoryLimit 8 int32; minReadySeconds 9 int32; persistentVolumeClaimRetentionPolicy 10 StatefulSetPersistentVolumeClaimRetentionPolicy; ordinals 11 StatefulSetOrdinals
StatefulSetStatus: observedGeneration 1 int64; replicas 2 int32 ! =; readyReplicas 3 int32; currentReplicas 4 int32; updatedReplicas 5 int32; currentRevision 6 string; updateRevision 7 string; collisionCount 9 int32; conditions 10 []StatefulSetCondition map(type) patch(merge) key(type); availableReplicas 11 int32 =
StatefulSetUpdateStrategy: type 1 string enum(OnDelete,RollingUpdate); rollingUpdate 2 RollingUpdateStatefulSetStrategy
@io.k8s.api.authentication.v1 authentication.k8s.io/v1
BoundObjectReference: kind 1 string; apiVersion 2 string; name 3 string; uid 4 string
SelfSubjectReview kind: metadata 1 meta.v1.ObjectMeta =; status 2 SelfSubjectReviewStatus =
SelfSubjectReviewStatus: userInfo 1 UserInfo =
TokenRequest kind: metadata 1 meta.v1.ObjectMeta =; spec 2 TokenRequestSpec =; status 3 TokenRequestStatus =
TokenRequestSpec: audiences 1 []string atomic; expirationSeconds 4 int64; boundObjectRef 3 BoundObjectReference
TokenRequestStatus: token 1 string =; expirationTimestamp 2 time
TokenReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 TokenReviewSpec ! =; status 3 TokenReviewStatus =
TokenReviewSpec: token 1 string !; audiences 2 []string atomic
TokenReviewStatus: authenticated 1 boolean; user 2 UserInfo =; audiences 4 []string atomic; error 3 string
UserInfo: username 1 string; uid 2 string; groups 3 []string atomic; extra 4 ~{}[]string
@io.k8s.api.authentication.v1beta1 authentication.k8s.io/v1beta1
TokenReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 TokenReviewSpec ! =; status 3 TokenReviewStatus =
TokenReviewSpec: token 1 string !; audiences 2 []string atomic
TokenReviewStatus: authenticated 1 boolean; user 2 UserInfo =; audiences 4 []string atomic; error 3 string
UserInfo: username 1 string; uid 2 string; groups 3 []string atomic; extra 4 ~{}[]string
@io.k8s.api.authorization.v1 authorization.k8s.io/v1
FieldSelectorAttributes: rawSelector 1 string; requirements 2 []meta.v1.FieldSelectorRequirement atomic
LabelSelectorAttributes: rawSelector 1 string; requirements 2 []meta.v1.LabelSelectorRequirement atomic
LocalSubjectAccessReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 SubjectAccessReviewSpec ! =; status 3 SubjectAccessReviewStatus =
NonResourceAttributes: path 1 string; verb 2 string
NonResourceRule: verbs 1 []string ! atomic; nonResourceURLs 2 []string atomic
ResourceAttributes: namespace 1 string; verb 2 string; group 3 string; version 4 string; resource 5 string; subresource 6 string; name 7 string; fieldSelector 8 FieldSelectorAttributes; labelSelector 9 LabelSelectorAttributes
ResourceRule: verbs 1 []string ! atomic; apiGroups 2 []string atomic; resources 3 []string atomic; resourceNames 4 []string atomic
SelfSubjectAccessReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 SelfSubjectAccessReviewSpec ! =; status 3 SubjectAccessReviewStatus =
SelfSubjectAccessReviewSpec: resourceAttributes 1 ResourceAttributes; nonResourceAttributes 2 NonResourceAttributes
SelfSubjectRulesReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 SelfSubjectRulesReviewSpec ! =; status 3 SubjectRulesReviewStatus =
SelfSubjectRulesReviewSpec: namespace 1 string
SubjectAccessReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 SubjectAccessReviewSpec ! =; status 3 SubjectAccessReviewStatus =
SubjectAccessReviewSpec: resourceAttributes 1 ResourceAttributes; nonResourceAttributes 2 NonResourceAttributes; user 3 string; groups 4 []string atomic; extra 5 ~{}[]string; uid 6 string
SubjectAccessReviewStatus: allowed 1 boolean ! =; denied 4 boolean; reason 2 string; evaluationError 3 string
SubjectRulesReviewStatus: resourceRules 1 []ResourceRule ! atomic; nonResourceRules 2 []NonResourceRule ! atomic; incomplete 3 boolean ! =; evaluationError 4 string
@io.k8s.api.authorization.v1beta1 authorization.k8s.io/v1beta1
LocalSubjectAccessReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 SubjectAccessReviewSpec ! =; status 3 SubjectAccessReviewStatus =
SubjectAccessReviewSpec: resourceAttributes 1 ResourceAttributes; nonResourceAttributes 2 NonResourceAttributes; user 3 string; group 4 []string; extra 5 ~{}[]string; uid 6 string
ResourceAttributes: namespace 1 string; verb 2 string; group 3 string; version 4 string; resource 5 string; subresource 6 string; name 7 string; fieldSelector 8 authorization.v1.FieldSelectorAttributes; labelSelector 9 authorization.v1.LabelSelectorAttributes
NonResourceAttributes: path 1 string; verb 2 string
SubjectAccessReviewStatus: allowed 1 boolean ! =; denied 4 boolean; reason 2 string; evaluationError 3 string
SelfSubjectAccessReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 SelfSubjectAccessReviewSpec ! =; status 3 SubjectAccessReviewStatus =
SelfSubjectAccessReviewSpec: resourceAttributes 1 ResourceAttributes; nonResourceAttributes 2 NonResourceAttributes
SelfSubjectRulesReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 SelfSubjectRulesReviewSpec ! =; status 3 SubjectRulesReviewStatus =
SelfSubjectRulesReviewSpec: namespace 1 string
SubjectRulesReviewStatus: resourceRules 1 []ResourceRule ! atomic; nonResourceRules 2 []NonResourceRule ! atomic; incomplete 3 boolean ! =; evaluationError 4 string
ResourceRule: verbs 1 []string ! atomic; apiGroups 2 []string atomic; resources 3 []string atomic; resourceNames 4 []string atomic
NonResourceRule: verbs 1 []string ! atomic; nonResourceURLs 2 []string atomic
SubjectAccessReview kind: metadata 1 meta.v1.ObjectMeta =; spec 2 SubjectAccessReviewSpec ! =; status 3 SubjectAccessReviewStatus =
@io.k8s.api.autoscaling.v1 autoscaling/v1
CrossVersionObjectReference atomic: kind 1 string ! =; name 2 string ! =; apiVersion 3 string
HorizontalPodAutoscaler kind: metadata 1 meta.v1.ObjectMeta =; spec 2 HorizontalPodAutoscalerSpec ! =; status 3 HorizontalPodAutoscalerStatus =
HorizontalPodAutoscalerList kind: metadata 1 meta.v1.ListMeta =; items 2 []HorizontalPodAutoscaler !
HorizontalPodAutoscalerSpec: scaleTargetRef 1 CrossVersionObjectReference ! =; minReplicas 2 int32; maxReplicas 3 int32 ! =; targetCPUUtilizationPercentage 4 int32
HorizontalPodAutoscalerStatus: observedGeneration 1 int64; lastScaleTime 2 time; currentReplicas 3 int32 ! =; desiredReplicas 4 int32 ! =; currentCPUUtilizationPercentage 5 int32
Scale kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ScaleSpec =; status 3 ScaleStatus =
ScaleSpec: replicas 1 int32 =
ScaleStatus: replicas 1 int32 ! =; selector 2 string
@io.k8s.api.autoscaling.v2 autoscaling/v2
ContainerResourceMetricSource: name 1 string ! =; target 2 MetricTarget ! =; container 3 string ! =
ContainerResourceMetricStatus: name 1 string ! =; current 2 MetricValueStatus ! =; container 3 string ! =
CrossVersionObjectReference: kind 1 string ! =; name 2 string ! =; apiVersion 3 string
ExternalMetricSource: metric 1 MetricIdentifier ! =; target 2 MetricTarget ! =
ExternalMetricStatus: metric 1 MetricIdentifier ! =; current 2 MetricValueStatus ! =
HPAScalingPolicy: type 1 string ! =; value 2 int32 ! =; periodSeconds 3 int32 ! =
HPAScalingRules: stabilizationWindowSeconds 3 int32; selectPolicy 1 string; policies 2 []HPAScalingPolicy atomic; tolerance 4 quantity
HorizontalPodAutoscaler kind: metadata 1 meta.v1.ObjectMeta =; spec 2 HorizontalPodAutoscalerSpec ! =; status 3 HorizontalPodAutoscalerStatus =
HorizontalPodAutoscalerBehavior: scaleUp 1 HPAScalingRules; scaleDown 2 HPAScalingRules
HorizontalPodAutoscalerCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string
HorizontalPodAutoscalerList kind: metadata 1 meta.v1.ListMeta =; items 2 []HorizontalPodAutoscaler !
HorizontalPodAutoscalerSpec: scaleTargetRef 1 CrossVersionObjectReference ! =; minReplicas 2 int32; maxReplicas 3 int32 ! =; metrics 4 []MetricSpec atomic; behavior 5 HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus: observedGeneration 1 int64; lastScaleTime 2 time; currentReplicas 3 int32; desiredReplicas 4 int32 ! =; currentMetrics 5 []MetricStatus atomic; conditions 6 []HorizontalPodAutoscalerCondition map(type) patch(merge) key(type)
MetricIdentifier: name 1 string ! =; selector 2 meta.v1.LabelSelector
MetricSpec: type 1 string ! =; object 2 ObjectMetricSource; pods 3 PodsMetricSource; resource 4 ResourceMetricSource; containerResource 7 ContainerResourceMetricSource; external 5 ExternalMetricSource
MetricStatus: type 1 string ! =; object 2 ObjectMetricStatus; pods 3 PodsMetricStatus; resource 4 ResourceMetricStatus; containerResource 7 ContainerResourceMetricStatus; external 5 ExternalMetricStatus
MetricTarget: type 1 string ! =; value 2 quantity; averageValue 3 quantity; averageUtilization 4 int32
MetricValueStatus: value 1 quantity; averageValue 2 quantity; averageUtilization 3 int32
ObjectMetricSource: describedObject 1 CrossVersionObjectReference ! =; target 2 MetricTarget ! =; metric 3 MetricIdentifier ! =
ObjectMetricStatus: metric 1 MetricIdentifier ! =; current 2 MetricValueStatus ! =; describedObject 3 CrossVersionObjectReference ! =
PodsMetricSource: metric 1 MetricIdentifier ! =; target 2 MetricTarget ! =
PodsMetricStatus: metric 1 MetricIdentifier ! =; current 2 MetricValueStatus ! =
ResourceMetricSource: name 1 string ! =; target 2 MetricTarget ! =
ResourceMetricStatus: name 1 string ! =; current 2 MetricValueStatus ! =
@io.k8s.api.autoscaling.v2beta1 autoscaling/v2beta1
HorizontalPodAutoscaler kind: metadata 1 meta.v1.ObjectMeta =; spec 2 HorizontalPodAutoscalerSpec =; status 3 HorizontalPodAutoscalerStatus =
HorizontalPodAutoscalerSpec: scaleTargetRef 1 CrossVersionObjectReference ! =; minReplicas 2 int32; maxReplicas 3 int32 ! =; metrics 4 []MetricSpec atomic
CrossVersionObjectReference: kind 1 string ! =; name 2 string ! =; apiVersion 3 string
MetricSpec: type 1 string ! =; object 2 ObjectMetricSource; pods 3 PodsMetricSource; resource 4 ResourceMetricSource; containerResource 7 ContainerResourceMetricSource; external 5 ExternalMetricSource
ObjectMetricSource: target 1 CrossVersionObjectReference ! =; metricName 2 string ! =; targetValue 3 quantity !; selector 4 meta.v1.LabelSelector; averageValue 5 quantity
PodsMetricSource: metricName 1 string ! =; targetAverageValue 2 quantity !; selector 3 meta.v1.LabelSelector
ResourceMetricSource: name 1 string ! =; targetAverageUtilization 2 int32; targetAverageValue 3 quantity
ContainerResourceMetricSource: name 1 string ! =; targetAverageUtilization 2 int32; targetAverageValue 3 quantity; container 4 string ! =
ExternalMetricSource: metricName 1 string ! =; metricSelector 2 meta.v1.LabelSelector; targetValue 3 quantity; targetAverageValue 4 quantity
HorizontalPodAutoscalerStatus: observedGeneration 1 int64; lastScaleTime 2 time; currentReplicas 3 int32 ! =; desiredReplicas 4 int32 ! =; currentMetrics 5 []MetricStatus atomic; conditions 6 []HorizontalPodAutoscalerCondition ! map(type) patch(merge) key(type)
MetricStatus: type 1 string ! =; object 2 ObjectMetricStatus; pods 3 PodsMetricStatus; resource 4 ResourceMetricStatus; containerResource 7 ContainerResourceMetricStatus; external 5 ExternalMetricStatus
ObjectMetricStatus: target 1 CrossVersionObjectReference ! =; metricName 2 string ! =; currentValue 3 quantity !; selector 4 meta.v1.LabelSelector; averageValue 5 quantity
PodsMetricStatus: metricName 1 string ! =; currentAverageValue 2 quantity !; selector 3 meta.v1.LabelSelector
ResourceMetricStatus: name 1 string ! =; currentAverageUtilization 2 int32; currentAverageValue 3 quantity !
ContainerResourceMetricStatus: name 1 string ! =; currentAverageUtilization 2 int32; currentAverageValue 3 quantity !; container 4 string ! =
ExternalMetricStatus: metricName 1 string ! =; metricSelector 2 meta.v1.LabelSelector; currentValue 3 quantity !; currentAverageValue 4 quantity
HorizontalPodAutoscalerCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string
HorizontalPodAutoscalerList kind: metadata 1 meta.v1.ListMeta =; items 2 []HorizontalPodAutoscaler !
@io.k8s.api.autoscaling.v2beta2 autoscaling/v2beta2
HorizontalPodAutoscaler kind: metadata 1 meta.v1.ObjectMeta =; spec 2 HorizontalPodAutoscalerSpec =; status 3 HorizontalPodAutoscalerStatus =
HorizontalPodAutoscalerSpec: scaleTargetRef 1 CrossVersionObjectReference ! =; minReplicas 2 int32; maxReplicas 3 int32 ! =; metrics 4 []MetricSpec atomic; behavior 5 HorizontalPodAutoscalerBehavior
CrossVersionObjectReference: kind 1 string ! =; name 2 string ! =; apiVersion 3 string
MetricSpec: type 1 string ! =; object 2 ObjectMetricSource; pods 3 PodsMetricSource; resource 4 ResourceMetricSource; containerResource 7 ContainerResourceMetricSource; external 5 ExternalMetricSource
ObjectMetricSource: describedObject 1 CrossVersionObjectReference ! =; target 2 MetricTarget ! =; metric 3 MetricIdentifier ! =
MetricTarget: type 1 string ! =; value 2 quantity; averageValue 3 quantity; averageUtilization 4 int32
MetricIdentifier: name 1 string ! =; selector 2 meta.v1.LabelSelector
PodsMetricSource: metric 1 MetricIdentifier ! =; target 2 MetricTarget ! =
ResourceMetricSource: name 1 string ! =; target 2 MetricTarget ! =
ContainerResourceMetricSource: name 1 string ! =; target 2 MetricTarget ! =; container 3 string ! =
ExternalMetricSource: metric 1 MetricIdentifier ! =; target 2 MetricTarget ! =
HorizontalPodAutoscalerBehavior: scaleUp 1 HPAScalingRules; scaleDown 2 HPAScalingRules
HPAScalingRules: stabilizationWindowSeconds 3 int32; selectPolicy 1 string; policies 2 []HPAScalingPolicy atomic
HPAScalingPolicy: type 1 string ! =; value 2 int32 ! =; periodSeconds 3 int32 ! =
HorizontalPodAutoscalerStatus: observedGeneration 1 int64; lastScaleTime 2 time; currentReplicas 3 int32 ! =; desiredReplicas 4 int32 ! =; currentMetrics 5 []MetricStatus atomic; conditions 6 []HorizontalPodAutoscalerCondition ! map(type) patch(merge) key(type)
MetricStatus: type 1 string ! =; object 2 ObjectMetricStatus; pods 3 PodsMetricStatus; resource 4 ResourceMetricStatus; containerResource 7 ContainerResourceMetricStatus; external 5 ExternalMetricStatus
ObjectMetricStatus: metric 1 MetricIdentifier ! =; current 2 MetricValueStatus ! =; describedObject 3 CrossVersionObjectReference ! =
MetricValueStatus: value 1 quantity; averageValue 2 quantity; averageUtilization 3 int32
PodsMetricStatus: metric 1 MetricIdentifier ! =; current 2 MetricValueStatus ! =
ResourceMetricStatus: name 1 string ! =; current 2 MetricValueStatus ! =
ContainerResourceMetricStatus: name 1 string ! =; current 2 MetricValueStatus ! =; container 3 string ! =
ExternalMetricStatus: metric 1 MetricIdentifier ! =; current 2 MetricValueStatus ! =
HorizontalPodAutoscalerCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string
HorizontalPodAutoscalerList kind: metadata 1 meta.v1.ListMeta =; items 2 []HorizontalPodAutoscaler !
@io.k8s.api.batch.v1 batch/v1
CronJob kind: metadata 1 meta.v1.ObjectMeta =; spec 2 CronJobSpec ! =; status 3 CronJobStatus =
CronJobList kind: metadata 1 meta.v1.ListMeta =; items 2 []CronJob !
CronJobSpec: schedule 1 string ! =; timeZone 8 string; startingDeadlineSeconds 2 int64; concurrencyPolicy 3 string enum(Allow,Forbid,Replace); suspend 4 boolean; jobTemplate 5 JobTemplateSpec ! =; successfulJobsHistoryLimit 6 int32; failedJobsHistoryLimit 7 int32
CronJobStatus: active 1 []core.v1.ObjectReference atomic; lastScheduleTime 4 time; lastSuccessfulTime 5 time
Job kind: metadata 1 meta.v1.ObjectMeta =; spec 2 JobSpec =; status 3 JobStatus =
JobCondition: type 1 string ! =; status 2 string ! =; lastProbeTime 3 time; lastTransitionTime 4 time; reason 5 string; message 6 string
JobList kind: metadata 1 meta.v1.ListMeta =; items 2 []Job !
JobSpec: parallelism 1 int32; completions 2 int32; activeDeadlineSeconds 3 int64; podFailurePolicy 11 PodFailurePolicy; successPolicy 16 SuccessPolicy; backoffLimit 7 int32; backoffLimitPerIndex 12 int32; maxFailedIndexes 13 int32; selector 4 meta.v1.LabelSelector; manualSelector 5 boolean; template 6 core.v1.PodTemplateSpec ! =; ttlSecondsAfterFinished 8 int32; completionMode 9 string enum(Indexed,NonIndexed); suspend 10 boolean; podReplacementPolicy 14 string enum(Failed,TerminatingOrFailed); managedBy 15 string
JobStatus: conditions 1 []JobCondition atomic patch(merge) key(type); startTime 2 time; completionTime 3 time; active 4 int32; succeeded 5 int32; failed 6 int32; terminating 11 int32; completedIndexes 7 string; failedIndexes 10 string; uncountedTerminatedPods 8 UncountedTerminatedPods; ready 9 int32
JobTemplateSpec: metadata 1 meta.v1.ObjectMeta =; spec 2 JobSpec =
PodFailurePolicy: rules 1 []PodFailurePolicyRule ! atomic
PodFailurePolicyOnExitCodesRequirement: containerName 1 string; operator 2 string ! = enum(In,NotIn); values 3 []int32 ! set
PodFailurePolicyOnPodConditionsPattern: type 1 string ! =; status 2 string =
PodFailurePolicyRule: action 1 string ! = enum(Count,FailIndex,FailJob,Ignore); onExitCodes 2 PodFailurePolicyOnExitCodesRequirement; onPodConditions 3 []PodFailurePolicyOnPodConditionsPattern atomic
SuccessPolicy: rules 1 []SuccessPolicyRule ! atomic
SuccessPolicyRule: succeededIndexes 1 string; succeededCount 2 int32
UncountedTerminatedPods: succeeded 1 []string set; failed 2 []string set
@io.k8s.api.batch.v1beta1 batch/v1beta1
CronJob kind: metadata 1 meta.v1.ObjectMeta =; spec 2 CronJobSpec =; status 3 CronJobStatus =
CronJobSpec: schedule 1 string ! =; timeZone 8 string; startingDeadlineSeconds 2 int64; concurrencyPolicy 3 string enum(Allow,Forbid,Replace); suspend 4 boolean; jobTemplate 5 JobTemplateSpec ! =; successfulJobsHistoryLimit 6 int32; failedJobsHistoryLimit 7 int32
JobTemplateSpec: metadata 1 meta.v1.ObjectMeta =; spec 2 batch.v1.JobSpec =
CronJobStatus: active 1 []core.v1.ObjectReference atomic; lastScheduleTime 4 time; lastSuccessfulTime 5 time
CronJobList kind: metadata 1 meta.v1.ListMeta =; items 2 []CronJob !
@io.k8s.api.certificates.v1 certificates.k8s.io/v1
CertificateSigningRequest kind: metadata 1 meta.v1.ObjectMeta =; spec 2 CertificateSigningRequestSpec ! =; status 3 CertificateSigningRequestStatus =
CertificateSigningRequestCondition: type 1 string ! =; status 6 string ! =; reason 2 string; message 3 string; lastUpdateTime 4 time; lastTransitionTime 5 time
CertificateSigningRequestList kind: metadata 1 meta.v1.ListMeta =; items 2 []CertificateSigningRequest !
CertificateSigningRequestSpec: request 1 bytes !; signerName 7 string ! =; expirationSeconds 8 int32; usages 5 []string atomic enum(any,cert sign,client auth,code signing,content commitment,crl sign,data encipherment,decipher only,digital signature,email protection,encipher only,ipsec end system,ipsec tunnel,ipsec user,key agreement,key encipherment,microsoft sgc,netscape sgc,ocsp signing,s/mime,server auth,signing,timestamping); username 2 string; uid 3 string; groups 4 []string atomic; extra 6 ~{}[]string
CertificateSigningRequestStatus: conditions 1 []CertificateSigningRequestCondition map(type); certificate 2 bytes
@io.k8s.api.certificates.v1beta1 certificates.k8s.io/v1beta1
CertificateSigningRequest kind: metadata 1 meta.v1.ObjectMeta =; spec 2 CertificateSigningRequestSpec ! =; status 3 CertificateSigningRequestStatus =
CertificateSigningRequestSpec: request 1 bytes !; signerName 7 string; expirationSeconds 8 int32; usages 5 []string atomic enum(any,cert sign,client auth,code signing,content commitment,crl sign,data encipherment,decipher only,digital signature,email protection,encipher only,ipsec end system,ipsec tunnel,ipsec user,key agreement,key encipherment,microsoft sgc,netscape sgc,ocsp signing,s/mime,server auth,signing,timestamping); username 2 string; uid 3 string; groups 4 []string atomic; extra 6 ~{}[]string
CertificateSigningRequestStatus: conditions 1 []CertificateSigningRequestCondition map(type); certificate 2 bytes
CertificateSigningRequestCondition: type 1 string ! =; status 6 string ! =; reason 2 string; message 3 string; lastUpdateTime 4 time; lastTransitionTime 5 time
CertificateSigningRequestList kind: metadata 1 meta.v1.ListMeta =; items 2 []CertificateSigningRequest !
@io.k8s.api.coordination.v1 coordination.k8s.io/v1
Lease kind: metadata 1 meta.v1.ObjectMeta =; spec 2 LeaseSpec =
LeaseList kind: metadata 1 meta.v1.ListMeta =; items 2 []Lease !
LeaseSpec: holderIdentity 1 string; leaseDurationSeconds 2 int32; acquireTime 3 microTime; renewTime 4 microTime; leaseTransitions 5 int32; strategy 6 string; preferredHolder 7 string
@io.k8s.api.coordination.v1beta1 coordination.k8s.io/v1beta1
Lease kind: metadata 1 meta.v1.ObjectMeta =; spec 2 LeaseSpec =
LeaseSpec: holderIdentity 1 string; leaseDurationSeconds 2 int32; acquireTime 3 microTime; renewTime 4 microTime; leaseTransitions 5 int32; strategy 6 string; preferredHolder 7 string
LeaseList kind: metadata 1 meta.v1.ListMeta =; items 2 []Lease !
@io.k8s.api.core.v1 /v1
AWSElasticBlockStoreVolumeSource: volumeID 1 string ! =; fsType 2 string; partition 3 int32; readOnly 4 boolean
Affinity: nodeAffinity 1 NodeAffinity; podAffinity 2 PodAffinity; podAntiAffinity 3 PodAntiAffinity
AppArmorProfile union(type,localhostProfile=LocalhostProfile): type 1 string ! = enum(Localhost,RuntimeDefault,Unconfined); localhostProfile 2 string
AttachedVolume: name 1 string ! =; devicePath 2 string ! =
AzureDiskVolumeSource: diskName 1 string ! =; diskURI 2 string ! =; cachingMode 3 string =("ReadWrite") enum(None,ReadOnly,ReadWrite); fsType 4 string =("ext4"); readOnly 5 boolean =; kind 6 string =("Shared") enum(Dedicated,Managed,Shared)
AzureFilePersistentVolumeSource: secretName 1 string ! =; shareName 2 string ! =; readOnly 3 boolean; secretNamespace 4 string
AzureFileVolumeSource: secretName 1 string ! =; shareName 2 string ! =; readOnly 3 boolean
Binding kind: metadata 1 meta.v1.ObjectMeta =; target 2 ObjectReference ! =
CSIPersistentVolumeSource: driver 1 string ! =; volumeHandle 2 string ! =; readOnly 3 boolean; fsType 4 string; volumeAttributes 5 {}string; controllerPublishSecretRef 6 SecretReference; nodeStageSecretRef 7 SecretReference; nodePublishSecretRef 8 SecretReference; controllerExpandSecretRef 9 SecretReference; nodeExpandSecretRef 10 SecretReference
CSIVolumeSource: driver 1 string ! =; readOnly 2 boolean; fsType 3 string; volumeAttributes 4 {}string; nodePublishSecretRef 5 LocalObjectReference
Capabilities: add 1 []string atomic; drop 2 []string atomic
CephFSPersistentVolumeSource: monitors 1 []string ! atomic; path 2 string; user 3 string; secretFile 4 string; secretRef 5 SecretReference; readOnly 6 boolean
CephFSVolumeSource: monitors 1 []string ! atomic; path 2 string; user 3 string; secretFile 4 string; secretRef 5 LocalObjectReference; readOnly 6 boolean
CinderPersistentVolumeSource: volumeID 1 string ! =; fsType 2 string; readOnly 3 boolean; secretRef 4 SecretReference
CinderVolumeSource: volumeID 1 string ! =; fsType 2 string; readOnly 3 boolean; secretRef 4 LocalObjectReference
ClientIPConfig: timeoutSeconds 1 int32
ClusterTrustBundleProjection: name 1 string; signerName 2 string; labelSelector 3 meta.v1.LabelSelector; optional 5 boolean; path 4 string ! =
ComponentCondition: type 1 string ! =; status 2 string ! =; message 3 string; error 4 string
ComponentStatus kind: metadata 1 meta.v1.ObjectMeta =; conditions 2 []ComponentCondition map(type) patch(merge) key(type)
ComponentStatusList kind: metadata 1 meta.v1.ListMeta =; items 2 []ComponentStatus !
ConfigMap kind: metadata 1 meta.v1.ObjectMeta =; immutable 4 boolean; data 2 {}string; binaryData 3 {}bytes
ConfigMapEnvSource: name 1.1 string =; optional 2 boolean
ConfigMapKeySelector atomic: name 1.1 string =; key 2 string ! =; optional 3 boolean
ConfigMapList kind: metadata 1 meta.v1.ListMeta =; items 2 []ConfigMap !
ConfigMapNodeConfigSource: namespace 1 string ! =; name 2 string ! =; uid 3 string; resourceVersion 4 string; kubeletConfigKey 5 string ! =
ConfigMapProjection: name 1.1 string =; items 2 []KeyToPath atomic; optional 4 boolean
ConfigMapVolumeSource: name 1.1 string =; items 2 []KeyToPath atomic; defaultMode 3 int32; optional 4 boolean
Container: name 1 string ! =; image 2 string; command 3 []string atomic; args 4 []string atomic; workingDir 5 string; ports 6 []ContainerPort map(containerPort,protocol) patch(merge) key(containerPort); envFrom 19 []EnvFromSource atomic; env 7 []EnvVar map(name) patch(merge) key(name); resources 8 ResourceRequirements =; resizePolicy 23 []ContainerResizePolicy atomic; restartPolicy 24 string; restartPolicyRules 25 []ContainerRestartRule atomic; volumeMounts 9 []VolumeMount map(mountPath) patch(merge) key(mountPath); volumeDevices 21 []VolumeDevice map(devicePath) patch(merge) key(devicePath); livenessProbe 10 Probe; readinessProbe 11 Probe; startupProbe 22 Probe; lifecycle 12 Lifecycle; terminationMessagePath 13 string; terminationMessagePolicy 20 string enum(FallbackToLogsOnError,File); imagePullPolicy 14 string enum(Always,IfNotPresent,Never); securityContext 15 SecurityContext; stdin 16 boolean; stdinOnce 17 boolean; tty 18 boolean
ContainerExtendedResourceRequest: containerName 1 string ! =; resourceName 2 string ! =; requestName 3 string ! =
ContainerImage: names 1 []string atomic; sizeBytes 2 int64
ContainerPort: name 1 string; hostPort 2 int32; containerPort 3 int32 ! =; protocol 4 string =("TCP") enum(SCTP,TCP,UDP); hostIP 5 string
ContainerResizePolicy: resourceName 1 string ! =; restartPolicy 2 string ! =
ContainerRestartRule: action 1 string !; exitCodes 2 ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator 1 string !; values 2 []int32 set
ContainerState: waiting 1 ContainerStateWaiting; running 2 ContainerStateRunning; terminated 3 ContainerStateTerminated
ContainerStateRunning: startedAt 1 time
ContainerStateTerminated: exitCode 1 int32 ! =; signal 2 int32; reason 3 string; message 4 string; startedAt 5 time; finishedAt 6 time; containerID 7 string
ContainerStateWaiting: reason 1 string; message 2 string
ContainerStatus: name 1 string ! =; state 2 ContainerState =; lastState 3 ContainerState =; ready 4 boolean ! =; restartCount 5 int32 ! =; image 6 string ! =; imageID 7 string ! =; containerID 8 string; started 9 boolean; allocatedResources 10 {}quantity; resources 11 ResourceRequirements; volumeMounts 12 []VolumeMountStatus map(mountPath) patch(merge) key(mountPath); user 13 ContainerUser; allocatedResourcesStatus 14 []ResourceStatus map(name) patch(merge) key(name); stopSignal 15 string enum(SIGABRT,SIGALRM,SIGBUS,SIGCHLD,SIGCLD,SIGCONT,SIGFPE,SIGHUP,SIGILL,SIGINT,SIGIO,SIGIOT,SIGKILL,SIGPIPE,SIGPOLL,SIGPROF,SIGPWR,SIGQUIT,SIGRTMAX,SIGRTMAX-1,SIGRTMAX-10,SIGRTMAX-11,SIGRTMAX-12,SIGRTMAX-13,SIGRTMAX-14,SIGRTMAX-2,SIGRTMAX-3,SIGRTMAX-4,SIGRTMAX-5,SIGRTMAX-6,SIGRTMAX-7,SIGRTMAX-8,SIGRTMAX-9,SIGRTMIN,SIGRTMIN+1,SIGRTMIN+10,SIGRTMIN+11,SIGRTMIN+12,SIGRTMIN+13,SIGRTMIN+14,SIGRTMIN+15,SIGRTMIN+2,SIGRTMIN+3,SIGRTMIN+4,SIGRTMIN+5,SIGRTMIN+6,SIGRTMIN+7,SIGRTMIN+8,SIGRTMIN+9,SIGSEGV,SIGSTKFLT,SIGSTOP,SIGSYS,SIGTERM,SIGTRAP,SIGTSTP,SIGTTIN,SIGTTOU,SIGURG,SIGUSR1,SIGUSR2,SIGVTALRM,SIGWINCH,SIGXCPU,SIGXFSZ)
ContainerUser: linux 1 LinuxContainerUser
DaemonEndpoint: Port 1 int32 ! =
DownwardAPIProjection: items 1 []DownwardAPIVolumeFile atomic
DownwardAPIVolumeFile: path 1 string ! =; fieldRef 2 ObjectFieldSelector; resourceFieldRef 3 ResourceFieldSelector; mode 4 int32
DownwardAPIVolumeSource: items 1 []DownwardAPIVolumeFile atomic; defaultMode 2 int32
EmptyDirVolumeSource: medium 1 string; sizeLimit 2 quantity
EndpointAddress atomic: ip 1 string ! =; hostname 3 string; nodeName 4 string; targetRef 2 ObjectReference
EndpointPort atomic: name 1 string; port 2 int32 ! =; protocol 3 string enum(SCTP,TCP,UDP); appProtocol 4 string
EndpointSubset: addresses 1 []EndpointAddress atomic; notReadyAddresses 2 []EndpointAddress atomic; ports 3 []EndpointPort atomic
Endpoints kind: metadata 1 meta.v1.ObjectMeta =; subsets 2 []EndpointSubset atomic
EndpointsList kind: metadata 1 meta.v1.ListMeta =; items 2 []Endpoints !
EnvFromSource: prefix 1 string; configMapRef 2 ConfigMapEnvSource; secretRef 3 SecretEnvSource
EnvVar: name 1 string ! =; value 2 string; valueFrom 3 EnvVarSource
EnvVarSource: fieldRef 1 ObjectFieldSelector; resourceFieldRef 2 ResourceFieldSelector; configMapKeyRef 3 ConfigMapKeySelector; secretKeyRef 4 SecretKeySelector; fileKeyRef 5 FileKeySelector
EphemeralContainer: name 1.1 string ! =; image 1.2 string; command 1.3 []string atomic; args 1.4 []string atomic; workingDir 1.5 string; ports 1.6 []ContainerPort map(containerPort,protocol) patch(merge) key(containerPort); envFrom 1.19 []EnvFromSource atomic; env 1.7 []EnvVar map(name) patch(merge) key(name); resources 1.8 ResourceRequirements =; resizePolicy 1.23 []ContainerResizePolicy atomic; restartPolicy 1.24 string; restartPolicyRules 1.25 []ContainerRestartRule atomic; volumeMounts 1.9 []VolumeMount map(mountPath) patch(merge) key(mountPath); volumeDevices 1.21 []VolumeDevice map(devicePath) patch(merge) key(devicePath); livenessProbe 1.10 Probe; readinessProbe 1.11 Probe; startupProbe 1.22 Probe; lifecycle 1.12 Lifecycle; terminationMessagePath 1.13 string; terminationMessagePolicy 1.20 string enum(FallbackToLogsOnError,File); imagePullPolicy 1.14 string enum(Always,IfNotPresent,Never); securityContext 1.15 SecurityContext; stdin 1.16 boolean; stdinOnce 1.17 boolean; tty 1.18 boolean; targetContainerName 2 string
EphemeralVolumeSource: volumeClaimTemplate 1 PersistentVolumeClaimTemplate
Event kind: metadata 1 meta.v1.ObjectMeta ! =; involvedObject 2 ObjectReference ! =; reason 3 string; message 4 string; source 5 EventSource =; firstTimestamp 6 time; lastTimestamp 7 time; count 8 int32; type 9 string; eventTime 10 microTime; series 11 EventSeries; action 12 string; related 13 ObjectReference; reportingComponent 14 string =; reportingInstance 15 string =
EventList kind: metadata 1 meta.v1.ListMeta =; items 2 []Event !
EventSeries: count 1 int32; lastObservedTime 2 microTime
EventSource: component 1 string; host 2 string
ExecAction: command 1 []string atomic
FCVolumeSource: targetWWNs 1 []string atomic; lun 2 int32; fsType 3 string; readOnly 4 boolean; wwids 5 []string atomic
FileKeySelector atomic: volumeName 1 string ! =; path 2 string ! =; key 3 string ! =; optional 4 boolean =
FlexPersistentVolumeSource: driver 1 string ! =; fsType 2 string; secretRef 3 SecretReference; readOnly 4 boolean; options 5 {}string
FlexVolumeSource: driver 1 string ! =; fsType 2 string; secretRef 3 LocalObjectReference; readOnly 4 boolean; options 5 {}string
FlockerVolumeSource: datasetName 1 string; datasetUUID 2 string
GCEPersistentDiskVolumeSource: pdName 1 string ! =; fsType 2 string; partition 3 int32; readOnly 4 boolean
GRPCAction: port 1 int32 ! =; service 2 string =
GitRepoVolumeSource: repository 1 string ! =; revision 2 string; directory 3 string
GlusterfsPersistentVolumeSource: endpoints 1 string ! =; path 2 string ! =; readOnly 3 boolean; endpointsNamespace 4 string
GlusterfsVolumeSource: endpoints 1 string ! =; path 2 string ! =; readOnly 3 boolean
HTTPGetAction: path 1 string; port 2 intOrString !; host 3 string; scheme 4 string enum(HTTP,HTTPS); httpHeaders 5 []HTTPHeader atomic
HTTPHeader: name 1 string ! =; value 2 string ! =
HostAlias: ip 1 string ! =; hostnames 2 []string atomic
HostIP: ip 1 string ! =
HostPathVolumeSource: path 1 string ! =; type 2 string enum(,BlockDevice,CharDevice,Directory,DirectoryOrCreate,File,FileOrCreate,Socket)
ISCSIPersistentVolumeSource: targetPortal 1 string ! =; iqn 2 string ! =; lun 3 int32 ! =; iscsiInterface 4 string =("default"); fsType 5 string; readOnly 6 boolean; portals 7 []string atomic; chapAuthDiscovery 8 boolean; chapAuthSession 11 boolean; secretRef 10 SecretReference; initiatorName 12 string
ISCSIVolumeSource: targetPortal 1 string ! =; iqn 2 string ! =; lun 3 int32 ! =; iscsiInterface 4 string =("default"); fsType 5 string; readOnly 6 boolean; portals 7 []string atomic; chapAuthDiscovery 8 boolean; chapAuthSession 11 boolean; secretRef 10 LocalObjectReference; initiatorName 12 string
ImageVolumeSource: reference 1 string; pullPolicy 2 string enum(Always,IfNotPresent,Never)
ImageVolumeStatus: imageRef 1 string !
KeyToPath: key 1 string ! =; path 2 string ! =; mode 3 int32
Lifecycle: postStart 1 LifecycleHandler; preStop 2 LifecycleHandler; stopSignal 3 string enum(SIGABRT,SIGALRM,SIGBUS,SIGCHLD,SIGCLD,SIGCONT,SIGFPE,SIGHUP,SIGILL,SIGINT,SIGIO,SIGIOT,SIGKILL,SIGPIPE,SIGPOLL,SIGPROF,SIGPWR,SIGQUIT,SIGRTMAX,SIGRTMAX-1,SIGRTMAX-10,SIGRTMAX-11,SIGRTMAX-12,SIGRTMAX-13,SIGRTMAX-14,SIGRTMAX-2,SIGRTMAX-3,SIGRTMAX-4,SIGRTMAX-5,SIGRTMAX-6,SIGRTMAX-7,SIGRTMAX-8,SIGRTMAX-9,SIGRTMIN,SIGRTMIN+1,SIGRTMIN+10,SIGRTMIN+11,SIGRTMIN+12,SIGRTMIN+13,SIGRTMIN+14,SIGRTMIN+15,SIGRTMIN+2,SIGRTMIN+3,SIGRTMIN+4,SIGRTMIN+5,SIGRTMIN+6,SIGRTMIN+7,SIGRTMIN+8,SIGRTMIN+9,SIGSEGV,SIGSTKFLT,SIGSTOP,SIGSYS,SIGTERM,SIGTRAP,SIGTSTP,SIGTTIN,SIGTTOU,SIGURG,SIGUSR1,SIGUSR2,SIGVTALRM,SIGWINCH,SIGXCPU,SIGXFSZ)
LifecycleHandler: exec 1 ExecAction; httpGet 2 HTTPGetAction; tcpSocket 3 TCPSocketAction; sleep 4 SleepAction
LimitRange kind: metadata 1 meta.v1.ObjectMeta =; spec 2 LimitRangeSpec =
LimitRangeItem: type 1 string ! =; max 2 {}quantity; min 3 {}quantity; default 4 {}quantity; defaultRequest 5 {}quantity; maxLimitRequestRatio 6 {}quantity
LimitRangeList kind: metadata 1 meta.v1.ListMeta =; items 2 []LimitRange !
LimitRangeSpec: limits 1 []LimitRangeItem ! atomic
LinuxContainerUser: uid 1 int64 ! =; gid 2 int64 ! =; supplementalGroups 3 []int64 atomic
LoadBalancerIngress: ip 1 string; hostname 2 string; ipMode 3 string; ports 4 []PortStatus atomic
LoadBalancerStatus: ingress 1 []LoadBalancerIngress atomic
LocalObjectReference atomic: name 1 string =
LocalVolumeSource: path 1 string ! =; fsType 2 string
ModifyVolumeStatus: targetVolumeAttributesClassName 1 string; status 2 string ! = enum(InProgress,Infeasible,Pending)
NFSVolumeSource: server 1 string ! =; path 2 string ! =; readOnly 3 boolean
Namespace kind: metadata 1 meta.v1.ObjectMeta =; spec 2 NamespaceSpec =; status 3 NamespaceStatus =
NamespaceCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 4 time; reason 5 string; message 6 string
NamespaceList kind: metadata 1 meta.v1.ListMeta =; items 2 []Namespace !
NamespaceSpec: finalizers 1 []string atomic
NamespaceStatus: phase 1 string enum(Active,Terminating); conditions 2 []NamespaceCondition map(type) patch(merge) key(type)
Node kind: metadata 1 meta.v1.ObjectMeta =; spec 2 NodeSpec =; status 3 NodeStatus =
NodeAddress: type 1 string ! =; address 2 string ! =
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution 1 NodeSelector; preferredDuringSchedulingIgnoredDuringExecution 2 []PreferredSchedulingTerm atomic
NodeAllocatableResourceClaimStatus: resourceClaimName 1 string ! =; containers 2 []string set; resources 3 {}quantity !
NodeCondition: type 1 string ! =; status 2 string ! =; lastHeartbeatTime 3 time; lastTransitionTime 4 time; reason 5 string; message 6 string
NodeConfigSource: configMap 2 ConfigMapNodeConfigSource
NodeConfigStatus: assigned 1 NodeConfigSource; active 2 NodeConfigSource; lastKnownGood 3 NodeConfigSource; error 4 string
NodeDaemonEndpoints: kubeletEndpoint 1 DaemonEndpoint =
NodeFeatures: supplementalGroupsPolicy 1 boolean
NodeList kind: metadata 1 meta.v1.ListMeta =; items 2 []Node !
NodeRuntimeHandler: name 1 string =; features 2 NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts 1 boolean; userNamespaces 2 boolean
NodeSelector atomic: nodeSelectorTerms 1 []NodeSelectorTerm ! atomic
NodeSelectorRequirement: key 1 string ! =; operator 2 string ! = enum(DoesNotExist,Exists,Gt,In,Lt,NotIn); values 3 []string atomic
NodeSelectorTerm atomic: matchExpressions 1 []NodeSelectorRequirement atomic; matchFields 2 []NodeSelectorRequirement atomic
NodeSpec: podCIDR 1 string; podCIDRs 7 []string set patch(merge); providerID 3 string; unschedulable 4 boolean; taints 5 []Taint atomic; configSource 6 NodeConfigSource; externalID 2 string
NodeStatus: capacity 1 {}quantity; allocatable 2 {}quantity; phase 3 string enum(Pending,Running,Terminated); conditions 4 []NodeCondition map(type) patch(merge) key(type); addresses 5 []NodeAddress map(type) patch(merge) key(type); daemonEndpoints 6 NodeDaemonEndpoints =; nodeInfo 7 NodeSystemInfo =; images 8 []ContainerImage atomic; volumesInUse 9 []string atomic; volumesAttached 10 []AttachedVolume atomic; config 11 NodeConfigStatus; runtimeHandlers 12 []NodeRuntimeHandler atomic; features 13 NodeFeatures; declaredFeatures 14 []string atomic
NodeSwapStatus: capacity 1 int64
NodeSystemInfo: machineID 1 string ! =; systemUUID 2 string ! =; bootID 3 string ! =; kernelVersion 4 string ! =; osImage 5 string ! =; containerRuntimeVersion 6 string ! =; kubeletVersion 7 string ! =; kubeProxyVersion 8 string ! =; operatingSystem 9 string ! =; architecture 10 string ! =; swap 11 NodeSwapStatus
ObjectFieldSelector atomic: apiVersion 1 string; fieldPath 2 string ! =
ObjectReference atomic: kind 1 string; namespace 2 string; name 3 string; uid 4 string; apiVersion 5 string; resourceVersion 6 string; fieldPath 7 string
PersistentVolume kind: metadata 1 meta.v1.ObjectMeta =; spec 2 PersistentVolumeSpec =; status 3 PersistentVolumeStatus =
PersistentVolumeClaim kind: metadata 1 meta.v1.ObjectMeta =; spec 2 PersistentVolumeClaimSpec =; status 3 PersistentVolumeClaimStatus =
PersistentVolumeClaimCondition: type 1 string ! =; status 2 string ! =; lastProbeTime 3 time; lastTransitionTime 4 time; reason 5 string; message 6 string
PersistentVolumeClaimList kind: metadata 1 meta.v1.ListMeta =; items 2 []PersistentVolumeClaim !
PersistentVolumeClaimSpec: accessModes 1 []string atomic enum(ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod); selector 4 meta.v1.LabelSelector; resources 2 VolumeResourceRequirements =; volumeName 3 string; storageClassName 5 string; volumeMode 6 string enum(Block,Filesystem); dataSource 7 TypedLocalObjectReference; dataSourceRef 8 TypedObjectReference; volumeAttributesClassName 9 string
PersistentVolumeClaimStatus: phase 1 string enum(Bound,Lost,Pending); accessModes 2 []string atomic enum(ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod); capacity 3 {}quantity; conditions 4 []PersistentVolumeClaimCondition map(type) patch(merge) key(type); allocatedResources 5 {}quantity; allocatedResourceStatuses 7 {}string granular enum(ControllerResizeInProgress,ControllerResizeInfeasible,NodeResizeInProgress,NodeResizeInfeasible,NodeResizePending); currentVolumeAttributesClassName 8 string; modifyVolumeStatus 9 ModifyVolumeStatus
PersistentVolumeClaimTemplate: metadata 1 meta.v1.ObjectMeta =; spec 2 PersistentVolumeClaimSpec ! =
PersistentVolumeClaimVolumeSource: claimName 1 string ! =; readOnly 2 boolean
PersistentVolumeList kind: metadata 1 meta.v1.ListMeta =; items 2 []PersistentVolume !
PersistentVolumeSpec: capacity 1 {}quantity; gcePersistentDisk 2.1 GCEPersistentDiskVolumeSource; awsElasticBlockStore 2.2 AWSElasticBlockStoreVolumeSource; hostPath 2.3 HostPathVolumeSource; glusterfs 2.4 GlusterfsPersistentVolumeSource; nfs 2.5 NFSVolumeSource; rbd 2.6 RBDPersistentVolumeSource; iscsi 2.7 ISCSIPersistentVolumeSource; cinder 2.8 CinderPersistentVolumeSource; cephfs 2.9 CephFSPersistentVolumeSource; fc 2.10 FCVolumeSource; flocker 2.11 FlockerVolumeSource; flexVolume 2.12 FlexPersistentVolumeSource; azureFile 2.13 AzureFilePersistentVolumeSource; vsphereVolume 2.14 VsphereVirtualDiskVolumeSource; quobyte 2.15 QuobyteVolumeSource; azureDisk 2.16 AzureDiskVolumeSource; photonPersistentDisk 2.17 PhotonPersistentDiskVolumeSource; portworxVolume 2.18 PortworxVolumeSource; scaleIO 2.19 ScaleIOPersistentVolumeSource; local 2.20 LocalVolumeSource; storageos 2.21 StorageOSPersistentVolumeSource; csi 2.22 CSIPersistentVolumeSource; accessModes 3 []string atomic enum(ReadOnlyMany,ReadWriteMany,ReadWriteOnce,ReadWriteOncePod); claimRef 4 ObjectReference granular; persistentVolumeReclaimPolicy 5 string enum(Delete,Recycle,Retain); storageClassName 6 string; mountOptions 7 []string atomic; volumeMode 8 string enum(Block,Filesystem); nodeAffinity 9 VolumeNodeAffinity; volumeAttributesClassName 10 string
PersistentVolumeStatus: phase 1 string enum(Available,Bound,Failed,Pending,Released); message 2 string; reason 3 string; lastPhaseTransitionTime 4 time
PhotonPersistentDiskVolumeSource: pdID 1 string ! =; fsType 2 string
Pod kind: metadata 1 meta.v1.ObjectMeta =; spec 2 PodSpec =; status 3 PodStatus =
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm atomic; preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm atomic
PodAffinityTerm: labelSelector 1 meta.v1.LabelSelector; namespaces 2 []string atomic; topologyKey 3 string ! =; namespaceSelector 4 meta.v1.LabelSelector; matchLabelKeys 5 []string atomic; mismatchLabelKeys 6 []string atomic
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm atomic; preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm atomic
PodCertificateProjection: signerName 1 string !; keyType 2 string !; maxExpirationSeconds 3 int32; credentialBundlePath 4 string; keyPath 5 string; certificateChainPath 6 string; userAnnotations 7 {}string
PodCondition: type 1 string ! =; observedGeneration 7 int64; status 2 string ! =; lastProbeTime 3 time; lastTransitionTime 4 time; reason 5 string; message 6 string
PodDNSConfig: nameservers 1 []string atomic; searches 2 []string atomic; options 3 []PodDNSConfigOption atomic
PodDNSConfigOption: name 1 string; value 2 string
PodExtendedResourceClaimStatus: requestMappings 1 []ContainerExtendedResourceRequest ! atomic; resourceClaimName 2 string ! =
PodIP: ip 1 string ! =
PodList kind: metadata 1 meta.v1.ListMeta =; items 2 []Pod !
PodOS: name 1 string ! =
PodReadinessGate: conditionType 1 string ! =
PodResourceClaim: name 1 string ! =; resourceClaimName 3 string; resourceClaimTemplateName 4 string
PodResourceClaimStatus: name 1 string ! =; resourceClaimName 2 string
PodSchedulingGate: name 1 string ! =
PodSchedulingGroup union(,podGroupName=PodGroupName): podGroupName 1 string
PodSecurityContext: seLinuxOptions 1 SELinuxOptions; windowsOptions 8 WindowsSecurityContextOptions; runAsUser 2 int64; runAsGroup 6 int64; runAsNonRoot 3 boolean; supplementalGroups 4 []int64 atomic; supplementalGroupsPolicy 12 string enum(Merge,Strict); fsGroup 5 int64; sysctls 7 []Sysctl atomic; fsGroupChangePolicy 9 string enum(Always,OnRootMismatch); seccompProfile 10 SeccompProfile; appArmorProfile 11 AppArmorProfile; seLinuxChangePolicy 13 string
PodSpec: volumes 1 []Volume map(name) patch(merge,retainKeys) key(name); initContainers 20 []Container map(name) patch(merge) key(name); containers 2 []Container ! map(name) patch(merge) key(name); ephemeralContainers 34 []EphemeralContainer map(name) patch(merge) key(name); restartPolicy 3 string enum(Always,Never,OnFailure); terminationGracePeriodSeconds 4 int64; activeDeadlineSeconds 5 int64; dnsPolicy 6 string enum(ClusterFirst,ClusterFirstWithHostNet,Default,None); nodeSelector 7 {}string atomic; serviceAccountName 8 string; serviceAccount 9 string; automountServiceAccountToken 21 boolean; nodeName 10 string; hostNetwork 11 boolean; hostPID 12 boolean; hostIPC 13 boolean; shareProcessNamespace 27 boolean; securityContext 14 PodSecurityContext; imagePullSecrets 15 []LocalObjectReference map(name) patch(merge) key(name); hostname 16 string; subdomain 17 string; affinity 18 Affinity; schedulerName 19 string; tolerations 22 []Toleration atomic; hostAliases 23 []HostAlias map(ip) patch(merge) key(ip); priorityClassName 24 string; priority 25 int32; dnsConfig 26 PodDNSConfig; readinessGates 28 []PodReadinessGate atomic; runtimeClassName 29 string; enableServiceLinks 30 boolean; preemptionPolicy 31 string enum(Never,PreemptLowerPriority); overhead 32 {}quantity; topologySpreadConstraints 33 []TopologySpreadConstraint map(topologyKey,whenUnsatisfiable) patch(merge) key(topologyKey); setHostnameAsFQDN 35 boolean; os 36 PodOS; hostUsers 37 boolean; schedulingGates 38 []PodSchedulingGate map(name) patch(merge) key(name); resourceClaims 39 []PodResourceClaim map(name) patch(merge,retainKeys) key(name); resources 40 ResourceRequirements; hostnameOverride 41 string; schedulingGroup 43 PodSchedulingGroup
PodStatus: observedGeneration 17 int64; phase 1 string enum(Failed,Pending,Running,Succeeded,Unknown); conditions 2 []PodCondition map(type) patch(merge) key(type); message 3 string; reason 4 string; nominatedNodeName 11 string; hostIP 5 string; hostIPs 16 []HostIP atomic patch(merge) key(ip); podIP 6 string; podIPs 12 []PodIP map(ip) patch(merge) key(ip); startTime 7 time; initContainerStatuses 10 []ContainerStatus atomic; containerStatuses 8 []ContainerStatus atomic; qosClass 9 string enum(BestEffort,Burstable,Guaranteed); ephemeralContainerStatuses 13 []ContainerStatus atomic; resize 14 string; resourceClaimStatuses 15 []PodResourceClaimStatus map(name) patch(merge,retainKeys) key(name); extendedResourceClaimStatus 18 PodExtendedResourceClaimStatus; allocatedResources 19 {}quantity; resources 20 ResourceRequirements; nodeAllocatableResourceClaimStatuses 21 []NodeAllocatableResourceClaimStatus atomic
PodTemplate kind: metadata 1 meta.v1.ObjectMeta =; template 2 PodTemplateSpec =
PodTemplateList kind: metadata 1 meta.v1.ListMeta =; items 2 []PodTemplate !
PodTemplateSpec: metadata 1 meta.v1.ObjectMeta =; spec 2 PodSpec =
PortStatus: port 1 int32 ! =; protocol 2 string ! = enum(SCTP,TCP,UDP); error 3 string
PortworxVolumeSource: volumeID 1 string ! =; fsType 2 string; readOnly 3 boolean
PreferredSchedulingTerm: weight 1 int32 ! =; preference 2 NodeSelectorTerm ! =
Probe: exec 1.1 ExecAction; httpGet 1.2 HTTPGetAction; tcpSocket 1.3 TCPSocketAction; grpc 1.4 GRPCAction; initialDelaySeconds 2 int32; timeoutSeconds 3 int32; periodSeconds 4 int32; successThreshold 5 int32; failureThreshold 6 int32; terminationGracePeriodSeconds 7 int64
ProjectedVolumeSource: sources 1 []VolumeProjection atomic; defaultMode 2 int32
QuobyteVolumeSource: registry 1 string ! =; volume 2 string ! =; readOnly 3 boolean; user 4 string; group 5 string; tenant 6 string
RBDPersistentVolumeSource: monitors 1 []string ! atomic; image 2 string ! =; fsType 3 string; pool 4 string =("rbd"); user 5 string =("admin"); keyring 6 string =("/etc/ceph/keyring"); secretRef 7 SecretReference; readOnly 8 boolean
RBDVolumeSource: monitors 1 []string ! atomic; image 2 string ! =; fsType 3 string; pool 4 string =("rbd"); user 5 string =("admin"); keyring 6 string =("/etc/ceph/keyring"); secretRef 7 LocalObjectReference; readOnly 8 boolean
ReplicationController kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ReplicationControllerSpec =; status 3 ReplicationControllerStatus =
ReplicationControllerCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string
ReplicationControllerList kind: metadata 1 meta.v1.ListMeta =; items 2 []ReplicationController !
ReplicationControllerSpec: replicas 1 int32 =(1); minReadySeconds 4 int32 =; selector 2 {}string atomic; template 3 PodTemplateSpec
ReplicationControllerStatus: replicas 1 int32 ! =; fullyLabeledReplicas 2 int32; readyReplicas 4 int32; availableReplicas 5 int32; observedGeneration 3 int64; conditions 6 []ReplicationControllerCondition map(type) patch(merge) key(type)
ResourceClaim: name 1 string ! =; request 2 string
ResourceFieldSelector atomic: containerName 1 string; resource 2 string ! =; divisor 3 quantity
ResourceHealth: resourceID 1 string ! =; health 2 string; message 6 string
ResourceQuota kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ResourceQuotaSpec =; status 3 ResourceQuotaStatus =
ResourceQuotaList kind: metadata 1 meta.v1.ListMeta =; items 2 []ResourceQuota !
ResourceQuotaSpec: hard 1 {}quantity; scopes 2 []string atomic enum(BestEffort,CrossNamespacePodAffinity,NotBestEffort,NotTerminating,PriorityClass,Terminating,VolumeAttributesClass); scopeSelector 3 ScopeSelector
ResourceQuotaStatus: hard 1 {}quantity; used 2 {}quantity
ResourceRequirements: limits 1 {}quantity; requests 2 {}quantity; claims 3 []ResourceClaim map(name)
ResourceStatus: name 1 string ! =; resources 2 []ResourceHealth map(resourceID)
SELinuxOptions: user 1 string; role 2 string; type 3 string; level 4 string
ScaleIOPersistentVolumeSource: gateway 1 string ! =; system 2 string ! =; secretRef 3 SecretReference !; sslEnabled 4 boolean; protectionDomain 5 string; storagePool 6 string; storageMode 7 string =("ThinProvisioned"); volumeName 8 string; fsType 9 string =("xfs"); readOnly 10 boolean
ScaleIOVolumeSource: gateway 1 string ! =; system 2 string ! =; secretRef 3 LocalObjectReference !; sslEnabled 4 boolean; protectionDomain 5 string; storagePool 6 string; storageMode 7 string =("ThinProvisioned"); volumeName 8 string; fsType 9 string =("xfs"); readOnly 10 boolean
ScopeSelector atomic: matchExpressions 1 []ScopedResourceSelectorRequirement atomic
ScopedResourceSelectorRequirement: scopeName 1 string ! = enum(BestEffort,CrossNamespacePodAffinity,NotBestEffort,NotTerminating,PriorityClass,Terminating,VolumeAttributesClass); operator 2 string ! = enum(DoesNotExist,Exists,In,NotIn); values 3 []string atomic
SeccompProfile union(type,localhostProfile=LocalhostProfile): type 1 string ! = enum(Localhost,RuntimeDefault,Unconfined); localhostProfile 2 string
Secret kind: metadata 1 meta.v1.ObjectMeta =; immutable 5 boolean; data 2 {}bytes; stringData 4 {}string; type 3 string
SecretEnvSource: name 1.1 string =; optional 2 boolean
SecretKeySelector atomic: name 1.1 string =; key 2 string ! =; optional 3 boolean
SecretList kind: metadata 1 meta.v1.ListMeta =; items 2 []Secret !
SecretProjection: name 1.1 string =; items 2 []KeyToPath atomic; optional 4 boolean
SecretReference atomic: name 1 string; namespace 2 string
SecretVolumeSource: secretName 1 string; items 2 []KeyToPath atomic; defaultMode 3 int32; optional 4 boolean
SecurityContext: capabilities 1 Capabilities; privileged 2 boolean; seLinuxOptions 3 SELinuxOptions; windowsOptions 10 WindowsSecurityContextOptions; runAsUser 4 int64; runAsGroup 8 int64; runAsNonRoot 5 boolean; readOnlyRootFilesystem 6 boolean; allowPrivilegeEscalation 7 boolean; procMount 9 string enum(Default,Unmasked); seccompProfile 11 SeccompProfile; appArmorProfile 12 AppArmorProfile
Service kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ServiceSpec =; status 3 ServiceStatus =
ServiceAccount kind: metadata 1 meta.v1.ObjectMeta =; secrets 2 []ObjectReference map(name) patch(merge) key(name); imagePullSecrets 3 []LocalObjectReference atomic; automountServiceAccountToken 4 boolean
ServiceAccountList kind: metadata 1 meta.v1.ListMeta =; items 2 []ServiceAccount !
ServiceAccountTokenProjection: audience 1 string; expirationSeconds 2 int64; path 3 string ! =
ServiceList kind: metadata 1 meta.v1.ListMeta =; items 2 []Service !
ServicePort: name 1 string; protocol 2 string =("TCP") enum(SCTP,TCP,UDP); appProtocol 6 string; port 3 int32 ! =; targetPort 4 intOrString; nodePort 5 int32
ServiceSpec: ports 1 []ServicePort map(port,protocol) patch(merge) key(port); selector 2 {}string atomic; clusterIP 3 string; clusterIPs 18 []string atomic; type 4 string enum(ClusterIP,ExternalName,LoadBalancer,NodePort); externalIPs 5 []string atomic; sessionAffinity 7 string enum(ClientIP,None); loadBalancerIP 8 string; loadBalancerSourceRanges 9 []string atomic; externalName 10 string; externalTrafficPolicy 11 string enum(Cluster,Local); healthCheckNodePort 12 int32; publishNotReadyAddresses 13 boolean; sessionAffinityConfig 14 SessionAffinityConfig; ipFamilies 19 []string atomic enum(,IPv4,IPv6); ipFamilyPolicy 17 string enum(PreferDualStack,RequireDualStack,SingleStack); allocateLoadBalancerNodePorts 20 boolean; loadBalancerClass 21 string; internalTrafficPolicy 22 string enum(Cluster,Local); trafficDistribution 23 string
ServiceStatus: loadBalancer 1 LoadBalancerStatus =; conditions 2 []meta.v1.Condition map(type) patch(merge) key(type)
SessionAffinityConfig: clientIP 1 ClientIPConfig
SleepAction: seconds 1 int64 ! =
StorageOSPersistentVolumeSource: volumeName 1 string; volumeNamespace 2 string; fsType 3 string; readOnly 4 boolean; secretRef 5 ObjectReference
StorageOSVolumeSource: volumeName 1 string; volumeNamespace 2 string; fsType 3 string; readOnly 4 boolean; secretRef 5 LocalObjectReference
Sysctl: name 1 string ! =; value 2 string ! =
TCPSocketAction: port 1 intOrString !; host 2 string
Taint: key 1 string ! =; value 2 string; effect 3 string ! = enum(NoExecute,NoSchedule,PreferNoSchedule); timeAdded 4 time
Toleration: key 1 string; operator 2 string enum(Equal,Exists,Gt,Lt); value 3 string; effect 4 string enum(NoExecute,NoSchedule,PreferNoSchedule); tolerationSeconds 5 int64
TopologySelectorLabelRequirement: key 1 string ! =; values 2 []string ! atomic
TopologySelectorTerm atomic: matchLabelExpressions 1 []TopologySelectorLabelRequirement atomic
TopologySpreadConstraint: maxSkew 1 int32 ! =; topologyKey 2 string ! =; whenUnsatisfiable 3 string ! = enum(DoNotSchedule,ScheduleAnyway); labelSelector 4 meta.v1.LabelSelector; minDomains 5 int32; nodeAffinityPolicy 6 string enum(Honor,Ignore); nodeTaintsPolicy 7 string enum(Honor,Ignore); matchLabelKeys 8 []string atomic
TypedLocalObjectReference atomic: apiGroup 1 string; kind 2 string ! =; name 3 string ! =
TypedObjectReference: apiGroup 1 string; kind 2 string ! =; name 3 string ! =; namespace 4 string
Volume: name 1 string ! =; hostPath 2.1 HostPathVolumeSource; emptyDir 2.2 EmptyDirVolumeSource; gcePersistentDisk 2.3 GCEPersistentDiskVolumeSource; awsElasticBlockStore 2.4 AWSElasticBlockStoreVolumeSource; gitRepo 2.5 GitRepoVolumeSource; secret 2.6 SecretVolumeSource; nfs 2.7 NFSVolumeSource; iscsi 2.8 ISCSIVolumeSource; glusterfs 2.9 GlusterfsVolumeSource; persistentVolumeClaim 2.10 PersistentVolumeClaimVolumeSource; rbd 2.11 RBDVolumeSource; flexVolume 2.12 FlexVolumeSource; cinder 2.13 CinderVolumeSource; cephfs 2.14 CephFSVolumeSource; flocker 2.15 FlockerVolumeSource; downwardAPI 2.16 DownwardAPIVolumeSource; fc 2.17 FCVolumeSource; azureFile 2.18 AzureFileVolumeSource; configMap 2.19 ConfigMapVolumeSource; vsphereVolume 2.20 VsphereVirtualDiskVolumeSource; quobyte 2.21 QuobyteVolumeSource; azureDisk 2.22 AzureDiskVolumeSource; photonPersistentDisk 2.23 PhotonPersistentDiskVolumeSource; projected 2.26 ProjectedVolumeSource; portworxVolume 2.24 PortworxVolumeSource; scaleIO 2.25 ScaleIOVolumeSource; storageos 2.27 StorageOSVolumeSource; csi 2.28 CSIVolumeSource; ephemeral 2.29 EphemeralVolumeSource; image 2.30 ImageVolumeSource
VolumeDevice: name 1 string ! =; devicePath 2 string ! =
VolumeMount: name 1 string ! =; readOnly 2 boolean; recursiveReadOnly 7 string; mountPath 3 string ! =; subPath 4 string; mountPropagation 5 string enum(Bidirectional,HostToContainer,None); subPathExpr 6 string
VolumeMountStatus: name 1 string ! =; mountPath 2 string ! =; readOnly 3 boolean; recursiveReadOnly 4 string; volumeStatus 5 VolumeStatus
VolumeNodeAffinity: required 1 NodeSelector
VolumeProjection: secret 1 SecretProjection; downwardAPI 2 DownwardAPIProjection; configMap 3 ConfigMapProjection; serviceAccountToken 4 ServiceAccountTokenProjection; clusterTrustBundle 5 ClusterTrustBundleProjection; podCertificate 6 PodCertificateProjection
VolumeResourceRequirements: limits 1 {}quantity; requests 2 {}quantity
VolumeStatus: image 1 ImageVolumeStatus
VsphereVirtualDiskVolumeSource: volumePath 1 string ! =; fsType 2 string; storagePolicyName 3 string; storagePolicyID 4 string
WeightedPodAffinityTerm: weight 1 int32 ! =; podAffinityTerm 2 PodAffinityTerm ! =
WindowsSecurityContextOptions: gmsaCredentialSpecName 1 string; gmsaCredentialSpec 2 string; runAsUserName 3 string; hostProcess 4 boolean
@io.k8s.api.discovery.v1 discovery.k8s.io/v1
Endpoint: addresses 1 []string ! set; conditions 2 EndpointConditions =; hostname 3 string; targetRef 4 core.v1.ObjectReference; deprecatedTopology 5 {}string; nodeName 6 string; zone 7 string; hints 8 EndpointHints
EndpointConditions: ready 1 boolean; serving 2 boolean; terminating 3 boolean
EndpointHints: forZones 1 []ForZone atomic; forNodes 2 []ForNode atomic
EndpointPort atomic: name 1 string; protocol 2 string enum(SCTP,TCP,UDP); port 3 int32; appProtocol 4 string
EndpointSlice kind: metadata 1 meta.v1.ObjectMeta =; addressType 4 string ! = enum(FQDN,IPv4,IPv6); endpoints 2 []Endpoint atomic; ports 3 []EndpointPort atomic
EndpointSliceList kind: metadata 1 meta.v1.ListMeta =; items 2 []EndpointSlice !
ForNode: name 1 string ! =
ForZone: name 1 string ! =
@io.k8s.api.discovery.v1beta1 discovery.k8s.io/v1beta1
EndpointSlice kind: metadata 1 meta.v1.ObjectMeta =; addressType 4 string ! = enum(FQDN,IPv4,IPv6); endpoints 2 []Endpoint ! atomic; ports 3 []EndpointPort atomic
Endpoint: addresses 1 []string ! set; conditions 2 EndpointConditions =; hostname 3 string; targetRef 4 core.v1.ObjectReference; topology 5 {}string; nodeName 6 string; hints 7 EndpointHints
EndpointConditions: ready 1 boolean; serving 2 boolean; terminating 3 boolean
EndpointHints: forZones 1 []ForZone atomic; forNodes 2 []ForNode atomic
ForZone: name 1 string ! =
ForNode: name 1 string ! =
EndpointPort atomic: name 1 string; protocol 2 string enum(SCTP,TCP,UDP); port 3 int32; appProtocol 4 string
EndpointSliceList kind: metadata 1 meta.v1.ListMeta =; items 2 []EndpointSlice !
@io.k8s.api.events.v1 events.k8s.io/v1
Event kind: metadata 1 meta.v1.ObjectMeta =; eventTime 2 microTime !; series 3 EventSeries; reportingController 4 string; reportingInstance 5 string; action 6 string; reason 7 string; regarding 8 core.v1.ObjectReference =; related 9 core.v1.ObjectReference; note 10 string; type 11 string; deprecatedSource 12 core.v1.EventSource =; deprecatedFirstTimestamp 13 time; deprecatedLastTimestamp 14 time; deprecatedCount 15 int32
EventList kind: metadata 1 meta.v1.ListMeta =; items 2 []Event !
EventSeries: count 1 int32 ! =; lastObservedTime 2 microTime !
@io.k8s.api.events.v1beta1 events.k8s.io/v1beta1
Event kind: metadata 1 meta.v1.ObjectMeta =; eventTime 2 microTime !; series 3 EventSeries; reportingController 4 string; reportingInstance 5 string; action 6 string; reason 7 string; regarding 8 core.v1.ObjectReference =; related 9 core.v1.ObjectReference; note 10 string; type 11 string; deprecatedSource 12 core.v1.EventSource =; deprecatedFirstTimestamp 13 time; deprecatedLastTimestamp 14 time; deprecatedCount 15 int32
EventSeries: count 1 int32 ! =; lastObservedTime 2 microTime !
EventList kind: metadata 1 meta.v1.ListMeta =; items 2 []Event !
@io.k8s.api.extensions.v1beta1 extensions/v1beta1
Ingress kind: metadata 1 meta.v1.ObjectMeta =; spec 2 IngressSpec =; status 3 IngressStatus =
IngressSpec: ingressClassName 4 string; backend 1 IngressBackend; tls 2 []IngressTLS atomic; rules 3 []IngressRule atomic
IngressBackend: serviceName 1 string; servicePort 2 intOrString; resource 3 core.v1.TypedLocalObjectReference
IngressTLS: hosts 1 []string atomic; secretName 2 string
IngressRule: host 1 string; http 2.1 HTTPIngressRuleValue
HTTPIngressRuleValue: paths 1 []HTTPIngressPath ! atomic
HTTPIngressPath: path 1 string; pathType 3 string enum(Exact,ImplementationSpecific,Prefix); backend 2 IngressBackend ! =
IngressStatus: loadBalancer 1 IngressLoadBalancerStatus =
IngressLoadBalancerStatus: ingress 1 []IngressLoadBalancerIngress atomic
IngressLoadBalancerIngress: ip 1 string; hostname 2 string; ports 4 []IngressPortStatus atomic
IngressPortStatus: port 1 int32 ! =; protocol 2 string ! = enum(SCTP,TCP,UDP); error 3 string
IngressList kind: metadata 1 meta.v1.ListMeta =; items 2 []Ingress !
@io.k8s.api.flowcontrol.v1 flowcontrol.apiserver.k8s.io/v1
ExemptPriorityLevelConfiguration: nominalConcurrencyShares 1 int32; lendablePercent 2 int32
FlowDistinguisherMethod: type 1 string ! =
FlowSchema kind: metadata 1 meta.v1.ObjectMeta =; spec 2 FlowSchemaSpec =; status 3 FlowSchemaStatus =
FlowSchemaCondition: type 1 string; status 2 string; lastTransitionTime 3 time; reason 4 string; message 5 string
FlowSchemaList kind: metadata 1 meta.v1.ListMeta =; items 2 []FlowSchema !
FlowSchemaSpec: priorityLevelConfiguration 1 PriorityLevelConfigurationReference ! =; matchingPrecedence 2 int32 =; distinguisherMethod 3 FlowDistinguisherMethod; rules 4 []PolicyRulesWithSubjects atomic
FlowSchemaStatus: conditions 1 []FlowSchemaCondition map(type) patch(merge) key(type)
GroupSubject: name 1 string ! =
LimitResponse union(type,queuing=Queuing): type 1 string ! =; queuing 2 QueuingConfiguration
LimitedPriorityLevelConfiguration: nominalConcurrencyShares 1 int32; limitResponse 2 LimitResponse =; lendablePercent 3 int32; borrowingLimitPercent 4 int32
NonResourcePolicyRule: verbs 1 []string ! set; nonResourceURLs 6 []string ! set
PolicyRulesWithSubjects: subjects 1 []Subject ! atomic; resourceRules 2 []ResourcePolicyRule atomic; nonResourceRules 3 []NonResourcePolicyRule atomic
PriorityLevelConfiguration kind: metadata 1 meta.v1.ObjectMeta =; spec 2 PriorityLevelConfigurationSpec =; status 3 PriorityLevelConfigurationStatus =
PriorityLevelConfigurationCondition: type 1 string; status 2 string; lastTransitionTime 3 time; reason 4 string; message 5 string
PriorityLevelConfigurationList kind: metadata 1 meta.v1.ListMeta =; items 2 []PriorityLevelConfiguration !
PriorityLevelConfigurationReference: name 1 string ! =
PriorityLevelConfigurationSpec union(type,exempt=Exempt,limited=Limited): type 1 string ! =; limited 2 LimitedPriorityLevelConfiguration; exempt 3 ExemptPriorityLevelConfiguration
PriorityLevelConfigurationStatus: conditions 1 []PriorityLevelConfigurationCondition map(type) patch(merge) key(type)
QueuingConfiguration: queues 1 int32 =; handSize 2 int32 =; queueLengthLimit 3 int32 =
ResourcePolicyRule: verbs 1 []string ! set; apiGroups 2 []string ! set; resources 3 []string ! set; clusterScope 4 boolean; namespaces 5 []string set
ServiceAccountSubject: namespace 1 string ! =; name 2 string ! =
Subject union(kind,group=Group,serviceAccount=ServiceAccount,user=User): kind 1 string ! =; user 2 UserSubject; group 3 GroupSubject; serviceAccount 4 ServiceAccountSubject
UserSubject: name 1 string ! =
@io.k8s.api.flowcontrol.v1beta1 flowcontrol.apiserver.k8s.io/v1beta1
FlowSchema kind: metadata 1 meta.v1.ObjectMeta =; spec 2 FlowSchemaSpec =; status 3 FlowSchemaStatus =
FlowSchemaSpec: priorityLevelConfiguration 1 PriorityLevelConfigurationReference ! =; matchingPrecedence 2 int32 =; distinguisherMethod 3 FlowDistinguisherMethod; rules 4 []PolicyRulesWithSubjects atomic
PriorityLevelConfigurationReference: name 1 string ! =
FlowDistinguisherMethod: type 1 string ! =
PolicyRulesWithSubjects: subjects 1 []Subject ! atomic; resourceRules 2 []ResourcePolicyRule atomic; nonResourceRules 3 []NonResourcePolicyRule atomic
Subject union(kind,group=Group,serviceAccount=ServiceAccount,user=User): kind 1 string ! =; user 2 UserSubject; group 3 GroupSubject; serviceAccount 4 ServiceAccountSubject
UserSubject: name 1 string ! =
GroupSubject: name 1 string ! =
ServiceAccountSubject: namespace 1 string ! =; name 2 string ! =
ResourcePolicyRule: verbs 1 []string ! set; apiGroups 2 []string ! set; resources 3 []string ! set; clusterScope 4 boolean; namespaces 5 []string set
NonResourcePolicyRule: verbs 1 []string ! set; nonResourceURLs 6 []string ! set
FlowSchemaStatus: conditions 1 []FlowSchemaCondition map(type) patch(merge) key(type)
FlowSchemaCondition: type 1 string; status 2 string; lastTransitionTime 3 time; reason 4 string; message 5 string
FlowSchemaList kind: metadata 1 meta.v1.ListMeta =; items 2 []FlowSchema !
PriorityLevelConfiguration kind: metadata 1 meta.v1.ObjectMeta =; spec 2 PriorityLevelConfigurationSpec =; status 3 PriorityLevelConfigurationStatus =
PriorityLevelConfigurationSpec union(type,limited=Limited): type 1 string ! =; limited 2 LimitedPriorityLevelConfiguration; exempt 3 ExemptPriorityLevelConfiguration
LimitedPriorityLevelConfiguration: assuredConcurrencyShares 1 int32 =; limitResponse 2 LimitResponse =; lendablePercent 3 int32; borrowingLimitPercent 4 int32
LimitResponse union(type,queuing=Queuing): type 1 string ! =; queuing 2 QueuingConfiguration
QueuingConfiguration: queues 1 int32 =; handSize 2 int32 =; queueLengthLimit 3 int32 =
ExemptPriorityLevelConfiguration: nominalConcurrencyShares 1 int32; lendablePercent 2 int32
PriorityLevelConfigurationStatus: conditions 1 []PriorityLevelConfigurationCondition map(type) patch(merge) key(type)
PriorityLevelConfigurationCondition: type 1 string; status 2 string; lastTransitionTime 3 time; reason 4 string; message 5 string
PriorityLevelConfigurationList kind: metadata 1 meta.v1.ListMeta =; items 2 []PriorityLevelConfiguration !
@io.k8s.api.flowcontrol.v1beta2 flowcontrol.apiserver.k8s.io/v1beta2
FlowSchema kind: metadata 1 meta.v1.ObjectMeta =; spec 2 FlowSchemaSpec =; status 3 FlowSchemaStatus =
FlowSchemaSpec: priorityLevelConfiguration 1 PriorityLevelConfigurationReference ! =; matchingPrecedence 2 int32 =; distinguisherMethod 3 FlowDistinguisherMethod; rules 4 []PolicyRulesWithSubjects atomic
PriorityLevelConfigurationReference: name 1 string ! =
FlowDistinguisherMethod: type 1 string ! =
PolicyRulesWithSubjects: subjects 1 []Subject ! atomic; resourceRules 2 []ResourcePolicyRule atomic; nonResourceRules 3 []NonResourcePolicyRule atomic
Subject union(kind,group=Group,serviceAccount=ServiceAccount,user=User): kind 1 string ! =; user 2 UserSubject; group 3 GroupSubject; serviceAccount 4 ServiceAccountSubject
UserSubject: name 1 string ! =
GroupSubject: name 1 string ! =
ServiceAccountSubject: namespace 1 string ! =; name 2 string ! =
ResourcePolicyRule: verbs 1 []string ! set; apiGroups 2 []string ! set; resources 3 []string ! set; clusterScope 4 boolean; namespaces 5 []string set
NonResourcePolicyRule: verbs 1 []string ! set; nonResourceURLs 6 []string ! set
FlowSchemaStatus: conditions 1 []FlowSchemaCondition map(type) patch(merge) key(type)
FlowSchemaCondition: type 1 string; status 2 string; lastTransitionTime 3 time; reason 4 string; message 5 string
FlowSchemaList kind: metadata 1 meta.v1.ListMeta =; items 2 []FlowSchema !
PriorityLevelConfiguration kind: metadata 1 meta.v1.ObjectMeta =; spec 2 PriorityLevelConfigurationSpec =; status 3 PriorityLevelConfigurationStatus =
PriorityLevelConfigurationSpec union(type,exempt=Exempt,limited=Limited): type 1 string ! =; limited 2 LimitedPriorityLevelConfiguration; exempt 3 ExemptPriorityLevelConfiguration
LimitedPriorityLevelConfiguration: assuredConcurrencyShares 1 int32 =; limitResponse 2 LimitResponse =; lendablePercent 3 int32; borrowingLimitPercent 4 int32
LimitResponse union(type,queuing=Queuing): type 1 string ! =; queuing 2 QueuingConfiguration
QueuingConfiguration: queues 1 int32 =; handSize 2 int32 =; queueLengthLimit 3 int32 =
ExemptPriorityLevelConfiguration: nominalConcurrencyShares 1 int32; lendablePercent 2 int32
PriorityLevelConfigurationStatus: conditions 1 []PriorityLevelConfigurationCondition map(type) patch(merge) key(type)
PriorityLevelConfigurationCondition: type 1 string; status 2 string; lastTransitionTime 3 time; reason 4 string; message 5 string
PriorityLevelConfigurationList kind: metadata 1 meta.v1.ListMeta =; items 2 []PriorityLevelConfiguration !
@io.k8s.api.flowcontrol.v1beta3 flowcontrol.apiserver.k8s.io/v1beta3
FlowSchema kind: metadata 1 meta.v1.ObjectMeta =; spec 2 FlowSchemaSpec =; status 3 FlowSchemaStatus =
FlowSchemaSpec: priorityLevelConfiguration 1 PriorityLevelConfigurationReference ! =; matchingPrecedence 2 int32 =; distinguisherMethod 3 FlowDistinguisherMethod; rules 4 []PolicyRulesWithSubjects atomic
PriorityLevelConfigurationReference: name 1 string ! =
FlowDistinguisherMethod: type 1 string ! =
PolicyRulesWithSubjects: subjects 1 []Subject ! atomic; resourceRules 2 []ResourcePolicyRule atomic; nonResourceRules 3 []NonResourcePolicyRule atomic
Subject union(kind,group=Group,serviceAccount=ServiceAccount,user=User): kind 1 string ! =; user 2 UserSubject; group 3 GroupSubject; serviceAccount 4 ServiceAccountSubject
UserSubject: name 1 string ! =
GroupSubject: name 1 string ! =
ServiceAccountSubject: namespace 1 string ! =; name 2 string ! =
ResourcePolicyRule: verbs 1 []string ! set; apiGroups 2 []string ! set; resources 3 []string ! set; clusterScope 4 boolean; namespaces 5 []string set
NonResourcePolicyRule: verbs 1 []string ! set; nonResourceURLs 6 []string ! set
FlowSchemaStatus: conditions 1 []FlowSchemaCondition map(type) patch(merge) key(type)
FlowSchemaCondition: type 1 string; status 2 string; lastTransitionTime 3 time; reason 4 string; message 5 string
FlowSchemaList kind: metadata 1 meta.v1.ListMeta =; items 2 []FlowSchema !
PriorityLevelConfiguration kind: metadata 1 meta.v1.ObjectMeta =; spec 2 PriorityLevelConfigurationSpec =; status 3 PriorityLevelConfigurationStatus =
PriorityLevelConfigurationSpec union(type,exempt=Exempt,limited=Limited): type 1 string ! =; limited 2 LimitedPriorityLevelConfiguration; exempt 3 ExemptPriorityLevelConfiguration
LimitedPriorityLevelConfiguration: nominalConcurrencyShares 1 int32 =; limitResponse 2 LimitResponse =; lendablePercent 3 int32; borrowingLimitPercent 4 int32
LimitResponse union(type,queuing=Queuing): type 1 string ! =; queuing 2 QueuingConfiguration
QueuingConfiguration: queues 1 int32 =; handSize 2 int32 =; queueLengthLimit 3 int32 =
ExemptPriorityLevelConfiguration: nominalConcurrencyShares 1 int32; lendablePercent 2 int32
PriorityLevelConfigurationStatus: conditions 1 []PriorityLevelConfigurationCondition map(type) patch(merge) key(type)
PriorityLevelConfigurationCondition: type 1 string; status 2 string; lastTransitionTime 3 time; reason 4 string; message 5 string
PriorityLevelConfigurationList kind: metadata 1 meta.v1.ListMeta =; items 2 []PriorityLevelConfiguration !
@io.k8s.api.networking.v1 networking.k8s.io/v1
HTTPIngressPath: path 1 string; pathType 3 string ! enum(Exact,ImplementationSpecific,Prefix); backend 2 IngressBackend ! =
HTTPIngressRuleValue: paths 1 []HTTPIngressPath ! atomic
IPAddress kind: metadata 1 meta.v1.ObjectMeta =; spec 2 IPAddressSpec ! =
IPAddressList kind: metadata 1 meta.v1.ListMeta =; items 2 []IPAddress !
IPAddressSpec: parentRef 1 ParentReference !
IPBlock: cidr 1 string ! =; except 2 []string atomic
Ingress kind: metadata 1 meta.v1.ObjectMeta =; spec 2 IngressSpec =; status 3 IngressStatus =
IngressBackend: service 4 IngressServiceBackend; resource 3 core.v1.TypedLocalObjectReference
IngressClass kind: metadata 1 meta.v1.ObjectMeta =; spec 2 IngressClassSpec =
IngressClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []IngressClass !
IngressClassParametersReference: apiGroup 1 string; kind 2 string ! =; name 3 string ! =; scope 4 string; namespace 5 string
IngressClassSpec: controller 1 string; parameters 2 IngressClassParametersReference
IngressList kind: metadata 1 meta.v1.ListMeta =; items 2 []Ingress !
IngressLoadBalancerIngress: ip 1 string; hostname 2 string; ports 4 []IngressPortStatus atomic
IngressLoadBalancerStatus: ingress 1 []IngressLoadBalancerIngress atomic
IngressPortStatus: port 1 int32 ! =; protocol 2 string ! = enum(SCTP,TCP,UDP); error 3 string
IngressRule: host 1 string; http 2.1 HTTPIngressRuleValue
IngressServiceBackend: name 1 string ! =; port 2 ServiceBackendPort =
IngressSpec: ingressClassName 4 string; defaultBackend 1 IngressBackend; tls 2 []IngressTLS atomic; rules 3 []IngressRule atomic
IngressStatus: loadBalancer 1 IngressLoadBalancerStatus =
IngressTLS: hosts 1 []string atomic; secretName 2 string
NetworkPolicy kind: metadata 1 meta.v1.ObjectMeta =; spec 2 NetworkPolicySpec =
NetworkPolicyEgressRule: ports 1 []NetworkPolicyPort atomic; to 2 []NetworkPolicyPeer atomic
NetworkPolicyIngressRule: ports 1 []NetworkPolicyPort atomic; from 2 []NetworkPolicyPeer atomic
NetworkPolicyList kind: metadata 1 meta.v1.ListMeta =; items 2 []NetworkPolicy !
NetworkPolicyPeer: podSelector 1 meta.v1.LabelSelector; namespaceSelector 2 meta.v1.LabelSelector; ipBlock 3 IPBlock
NetworkPolicyPort: protocol 1 string enum(SCTP,TCP,UDP); port 2 intOrString; endPort 3 int32
NetworkPolicySpec: podSelector 1 meta.v1.LabelSelector =; ingress 2 []NetworkPolicyIngressRule atomic; egress 3 []NetworkPolicyEgressRule atomic; policyTypes 4 []string atomic enum(Egress,Ingress)
ParentReference: group 1 string; resource 2 string !; namespace 3 string; name 4 string !
ServiceBackendPort atomic: name 1 string; number 2 int32
ServiceCIDR kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ServiceCIDRSpec =; status 3 ServiceCIDRStatus =
ServiceCIDRList kind: metadata 1 meta.v1.ListMeta =; items 2 []ServiceCIDR !
ServiceCIDRSpec: cidrs 1 []string atomic
ServiceCIDRStatus: conditions 1 []meta.v1.Condition map(type) patch(merge) key(type)
@io.k8s.api.networking.v1beta1 networking.k8s.io/v1beta1
Ingress kind: metadata 1 meta.v1.ObjectMeta =; spec 2 IngressSpec =; status 3 IngressStatus =
IngressSpec: ingressClassName 4 string; backend 1 IngressBackend; tls 2 []IngressTLS atomic; rules 3 []IngressRule atomic
IngressBackend: serviceName 1 string; servicePort 2 intOrString; resource 3 core.v1.TypedLocalObjectReference
IngressTLS: hosts 1 []string atomic; secretName 2 string
IngressRule: host 1 string; http 2.1 HTTPIngressRuleValue
HTTPIngressRuleValue: paths 1 []HTTPIngressPath ! atomic
HTTPIngressPath: path 1 string; pathType 3 string enum(Exact,ImplementationSpecific,Prefix); backend 2 IngressBackend ! =
IngressStatus: loadBalancer 1 IngressLoadBalancerStatus =
IngressLoadBalancerStatus: ingress 1 []IngressLoadBalancerIngress atomic
IngressLoadBalancerIngress: ip 1 string; hostname 2 string; ports 4 []IngressPortStatus atomic
IngressPortStatus: port 1 int32 ! =; protocol 2 string ! = enum(SCTP,TCP,UDP); error 3 string
IngressList kind: metadata 1 meta.v1.ListMeta =; items 2 []Ingress !
IngressClass kind: metadata 1 meta.v1.ObjectMeta =; spec 2 IngressClassSpec =
IngressClassSpec: controller 1 string; parameters 2 IngressClassParametersReference
IngressClassParametersReference: apiGroup 1 string; kind 2 string ! =; name 3 string ! =; scope 4 string; namespace 5 string
IngressClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []IngressClass !
@io.k8s.api.node.v1 node.k8s.io/v1
Overhead: podFixed 1 {}quantity
RuntimeClass kind: metadata 1 meta.v1.ObjectMeta =; handler 2 string ! =; overhead 3 Overhead; scheduling 4 Scheduling
RuntimeClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []RuntimeClass !
Scheduling: nodeSelector 1 {}string atomic; tolerations 2 []core.v1.Toleration atomic
@io.k8s.api.node.v1beta1 node.k8s.io/v1beta1
RuntimeClass kind: metadata 1 meta.v1.ObjectMeta =; handler 2 string ! =; overhead 3 Overhead; scheduling 4 Scheduling
Overhead: podFixed 1 {}quantity
Scheduling: nodeSelector 1 {}string atomic; tolerations 2 []core.v1.Toleration atomic
RuntimeClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []RuntimeClass !
@io.k8s.api.policy.v1 policy/v1
Eviction kind: metadata 1 meta.v1.ObjectMeta =; deleteOptions 2 meta.v1.DeleteOptions
PodDisruptionBudget kind: metadata 1 meta.v1.ObjectMeta =; spec 2 PodDisruptionBudgetSpec =; status 3 PodDisruptionBudgetStatus =
PodDisruptionBudgetList kind: metadata 1 meta.v1.ListMeta =; items 2 []PodDisruptionBudget !
PodDisruptionBudgetSpec: minAvailable 1 intOrString; selector 2 meta.v1.LabelSelector patch(replace); maxUnavailable 3 intOrString; unhealthyPodEvictionPolicy 4 string enum(AlwaysAllow,IfHealthyBudget)
PodDisruptionBudgetStatus: observedGeneration 1 int64; disruptedPods 2 {}time; disruptionsAllowed 3 int32 =; currentHealthy 4 int32 =; desiredHealthy 5 int32 =; expectedPods 6 int32 =; conditions 7 []meta.v1.Condition map(type) patch(merge) key(type)
@io.k8s.api.policy.v1beta1 policy/v1beta1
Eviction kind: metadata 1 meta.v1.ObjectMeta =; deleteOptions 2 meta.v1.DeleteOptions
PodDisruptionBudget kind: metadata 1 meta.v1.ObjectMeta =; spec 2 PodDisruptionBudgetSpec =; status 3 PodDisruptionBudgetStatus =
PodDisruptionBudgetSpec: minAvailable 1 intOrString; selector 2 meta.v1.LabelSelector patch(replace); maxUnavailable 3 intOrString; unhealthyPodEvictionPolicy 4 string enum(AlwaysAllow,IfHealthyBudget)
PodDisruptionBudgetStatus: observedGeneration 1 int64; disruptedPods 2 {}time; disruptionsAllowed 3 int32 ! =; currentHealthy 4 int32 ! =; desiredHealthy 5 int32 ! =; expectedPods 6 int32 ! =; conditions 7 []meta.v1.Condition map(type) patch(merge) key(type)
PodDisruptionBudgetList kind: metadata 1 meta.v1.ListMeta =; items 2 []PodDisruptionBudget !
@io.k8s.api.rbac.v1 rbac.authorization.k8s.io/v1
AggregationRule: clusterRoleSelectors 1 []meta.v1.LabelSelector atomic
ClusterRole kind: metadata 1 meta.v1.ObjectMeta =; rules 2 []PolicyRule atomic; aggregationRule 3 AggregationRule
ClusterRoleBinding kind: metadata 1 meta.v1.ObjectMeta =; subjects 2 []Subject atomic; roleRef 3 RoleRef ! =
ClusterRoleBindingList kind: metadata 1 meta.v1.ListMeta =; items 2 []ClusterRoleBinding !
ClusterRoleList kind: metadata 1 meta.v1.ListMeta =; items 2 []ClusterRole !
PolicyRule: verbs 1 []string ! atomic; apiGroups 2 []string atomic; resources 3 []string atomic; resourceNames 4 []string atomic; nonResourceURLs 5 []string atomic
Role kind: metadata 1 meta.v1.ObjectMeta =; rules 2 []PolicyRule atomic
RoleBinding kind: metadata 1 meta.v1.ObjectMeta =; subjects 2 []Subject atomic; roleRef 3 RoleRef ! =
RoleBindingList kind: metadata 1 meta.v1.ListMeta =; items 2 []RoleBinding !
RoleList kind: metadata 1 meta.v1.ListMeta =; items 2 []Role !
RoleRef atomic: apiGroup 1 string =; kind 2 string ! =; name 3 string ! =
Subject atomic: kind 1 string ! =; apiGroup 2 string; name 3 string ! =; namespace 4 string
@io.k8s.api.rbac.v1beta1 rbac.authorization.k8s.io/v1beta1
ClusterRole kind: metadata 1 meta.v1.ObjectMeta =; rules 2 []PolicyRule atomic; aggregationRule 3 AggregationRule
PolicyRule: verbs 1 []string ! atomic; apiGroups 2 []string atomic; resources 3 []string atomic; resourceNames 4 []string atomic; nonResourceURLs 5 []string atomic
AggregationRule: clusterRoleSelectors 1 []meta.v1.LabelSelector atomic
ClusterRoleList kind: metadata 1 meta.v1.ListMeta =; items 2 []ClusterRole !
ClusterRoleBinding kind: metadata 1 meta.v1.ObjectMeta =; subjects 2 []Subject atomic; roleRef 3 RoleRef ! =
Subject atomic: kind 1 string ! =; apiGroup 2 string; name 3 string ! =; namespace 4 string
RoleRef atomic: apiGroup 1 string =; kind 2 string ! =; name 3 string ! =
ClusterRoleBindingList kind: metadata 1 meta.v1.ListMeta =; items 2 []ClusterRoleBinding !
Role kind: metadata 1 meta.v1.ObjectMeta =; rules 2 []PolicyRule atomic
RoleList kind: metadata 1 meta.v1.ListMeta =; items 2 []Role !
RoleBinding kind: metadata 1 meta.v1.ObjectMeta =; subjects 2 []Subject atomic; roleRef 3 RoleRef ! =
RoleBindingList kind: metadata 1 meta.v1.ListMeta =; items 2 []RoleBinding !
@io.k8s.api.resource.v1 resource.k8s.io/v1
AllocatedDeviceStatus: driver 1 string ! =; pool 2 string ! =; device 3 string ! =; shareID 7 string; conditions 4 []meta.v1.Condition map(type); data 5 *pkg.runtime.RawExtension; networkData 6 NetworkDeviceData
AllocationResult: devices 1 DeviceAllocationResult =; nodeSelector 3 core.v1.NodeSelector; allocationTimestamp 5 time
CELDeviceSelector: expression 1 string ! =
CapacityRequestPolicy: default 1 quantity; validValues 3 []quantity atomic; validRange 4 CapacityRequestPolicyRange
CapacityRequestPolicyRange: min 1 quantity !; max 2 quantity; step 3 quantity
CapacityRequirements: requests 1 {}quantity
Counter: value 1 quantity !
CounterSet: name 1 string ! =; counters 2 {}Counter !
Device: name 1 string ! =; attributes 2 {}DeviceAttribute; capacity 3 {}DeviceCapacity; consumesCounters 4 []DeviceCounterConsumption atomic; nodeName 5 string; nodeSelector 6 core.v1.NodeSelector; allNodes 7 boolean; taints 8 []DeviceTaint atomic; bindsToNode 9 boolean; bindingConditions 10 []string atomic; bindingFailureConditions 11 []string atomic; allowMultipleAllocations 12 boolean; nodeAllocatableResourceMappings 13 {}NodeAllocatableResourceMapping
DeviceAllocationConfiguration: source 1 string ! = enum(FromClaim,FromClass); requests 2 []string atomic; opaque 3.1 OpaqueDeviceConfiguration
DeviceAllocationResult: results 1 []DeviceRequestAllocationResult atomic; config 2 []DeviceAllocationConfiguration atomic
DeviceAttribute: int 2 int64; bool 3 boolean; string 4 string; version 5 string; ints 6 []int64 atomic; bools 7 []boolean atomic; strings 8 []string atomic; versions 9 []string atomic
DeviceCapacity: value 1 quantity !; requestPolicy 2 CapacityRequestPolicy
DeviceClaim: requests 1 []DeviceRequest atomic; constraints 2 []DeviceConstraint atomic; config 3 []DeviceClaimConfiguration atomic
DeviceClaimConfiguration: requests 1 []string atomic; opaque 2.1 OpaqueDeviceConfiguration
DeviceClass kind: metadata 1 meta.v1.ObjectMeta =; spec 2 DeviceClassSpec ! =
DeviceClassConfiguration: opaque 1.1 OpaqueDeviceConfiguration
DeviceClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []DeviceClass !
DeviceClassSpec: selectors 1 []DeviceSelector atomic; config 2 []DeviceClassConfiguration atomic; extendedResourceName 4 string
DeviceConstraint: requests 1 []string atomic; matchAttribute 2 string; distinctAttribute 3 string
DeviceCounterConsumption: counterSet 1 string ! =; counters 2 {}Counter !
DeviceRequest: name 1 string ! =; exactly 2 ExactDeviceRequest; firstAvailable 3 []DeviceSubRequest atomic
DeviceRequestAllocationResult: request 1 string ! =; driver 2 string ! =; pool 3 string ! =; device 4 string ! =; adminAccess 5 boolean; tolerations 6 []DeviceToleration atomic; bindingConditions 7 []string atomic; bindingFailureConditions 8 []string atomic; shareID 9 string; consumedCapacity 10 {}quantity
DeviceSelector: cel 1 CELDeviceSelector
DeviceSubRequest: name 1 string ! =; deviceClassName 2 string ! =; selectors 3 []DeviceSelector atomic; allocationMode 4 string enum(All,ExactCount); count 5 int64; tolerations 6 []DeviceToleration atomic; capacity 7 CapacityRequirements
DeviceTaint: key 1 string ! =; value 2 string; effect 3 string ! = enum(NoExecute,NoSchedule,None); timeAdded 4 time
DeviceToleration: key 1 string; operator 2 string =("Equal") enum(Equal,Exists); value 3 string; effect 4 string enum(NoExecute,NoSchedule,None); tolerationSeconds 5 int64
ExactDeviceRequest: deviceClassName 1 string ! =; selectors 2 []DeviceSelector atomic; allocationMode 3 string enum(All,ExactCount); count 4 int64; adminAccess 5 boolean; tolerations 6 []DeviceToleration atomic; capacity 7 CapacityRequirements
NetworkDeviceData: interfaceName 1 string; ips 2 []string atomic; hardwareAddress 3 string
NodeAllocatableResourceMapping: capacityKey 1 string; allocationMultiplier 2 quantity
OpaqueDeviceConfiguration: driver 1 string ! =; parameters 2 *pkg.runtime.RawExtension !
ResourceClaim kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ResourceClaimSpec ! =; status 3 ResourceClaimStatus =
ResourceClaimConsumerReference: apiGroup 1 string; resource 3 string ! =; name 4 string ! =; uid 5 string ! =
ResourceClaimList kind: metadata 1 meta.v1.ListMeta =; items 2 []ResourceClaim !
ResourceClaimSpec: devices 1 DeviceClaim =
ResourceClaimStatus: allocation 1 AllocationResult; reservedFor 2 []ResourceClaimConsumerReference map(uid) patch(merge) key(uid); devices 4 []AllocatedDeviceStatus map(driver,device,pool,shareID)
ResourceClaimTemplate kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ResourceClaimTemplateSpec ! =
ResourceClaimTemplateList kind: metadata 1 meta.v1.ListMeta =; items 2 []ResourceClaimTemplate !
ResourceClaimTemplateSpec: metadata 1 meta.v1.ObjectMeta =; spec 2 ResourceClaimSpec ! =
ResourcePool: name 1 string ! =; generation 2 int64 ! =; resourceSliceCount 3 int64 ! =
ResourceSlice kind: metadata 1 meta.v1.ObjectMeta =; spec 2 ResourceSliceSpec ! =
ResourceSliceList kind: metadata 1 meta.v1.ListMeta =; items 2 []ResourceSlice !
ResourceSliceSpec: driver 1 string ! =; pool 2 ResourcePool ! =; nodeName 3 string; nodeSelector 4 core.v1.NodeSelector; allNodes 5 boolean; devices 6 []Device atomic; perDeviceNodeSelection 7 boolean; sharedCounters 8 []CounterSet atomic
@io.k8s.api.scheduling.v1 scheduling.k8s.io/v1
PriorityClass kind: metadata 1 meta.v1.ObjectMeta =; value 2 int32 =; globalDefault 3 boolean; description 4 string; preemptionPolicy 5 string enum(Never,PreemptLowerPriority)
PriorityClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []PriorityClass !
@io.k8s.api.scheduling.v1beta1 scheduling.k8s.io/v1beta1
PriorityClass kind: metadata 1 meta.v1.ObjectMeta =; value 2 int32 =; globalDefault 3 boolean; description 4 string; preemptionPolicy 5 string enum(Never,PreemptLowerPriority)
PriorityClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []PriorityClass !
@io.k8s.api.storage.v1 storage.k8s.io/v1
CSIDriver kind: metadata 1 meta.v1.ObjectMeta =; spec 2 CSIDriverSpec ! =
CSIDriverList kind: metadata 1 meta.v1.ListMeta =; items 2 []CSIDriver !
CSIDriverSpec: attachRequired 1 boolean; podInfoOnMount 2 boolean; volumeLifecycleModes 3 []string set; storageCapacity 4 boolean; fsGroupPolicy 5 string; tokenRequests 6 []TokenRequest atomic; requiresRepublish 7 boolean; seLinuxMount 8 boolean; nodeAllocatableUpdatePeriodSeconds 9 int64; serviceAccountTokenInSecrets 10 boolean; preventPodSchedulingIfMissing 11 boolean
CSINode kind: metadata 1 meta.v1.ObjectMeta =; spec 2 CSINodeSpec ! =
CSINodeDriver: name 1 string ! =; nodeID 2 string ! =; topologyKeys 3 []string atomic; allocatable 4 VolumeNodeResources
CSINodeList kind: metadata 1 meta.v1.ListMeta =; items 2 []CSINode !
CSINodeSpec: drivers 1 []CSINodeDriver ! map(name) patch(merge) key(name)
CSIStorageCapacity kind: metadata 1 meta.v1.ObjectMeta =; nodeTopology 2 meta.v1.LabelSelector; storageClassName 3 string ! =; capacity 4 quantity; maximumVolumeSize 5 quantity
CSIStorageCapacityList kind: metadata 1 meta.v1.ListMeta =; items 2 []CSIStorageCapacity !
StorageClass kind: metadata 1 meta.v1.ObjectMeta =; provisioner 2 string ! =; parameters 3 {}string; reclaimPolicy 4 string enum(Delete,Recycle,Retain); mountOptions 5 []string atomic; allowVolumeExpansion 6 boolean; volumeBindingMode 7 string enum(Immediate,WaitForFirstConsumer); allowedTopologies 8 []core.v1.TopologySelectorTerm atomic
StorageClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []StorageClass !
TokenRequest: audience 1 string ! =; expirationSeconds 2 int64
VolumeAttachment kind: metadata 1 meta.v1.ObjectMeta =; spec 2 VolumeAttachmentSpec ! =; status 3 VolumeAttachmentStatus =
VolumeAttachmentList kind: metadata 1 meta.v1.ListMeta =; items 2 []VolumeAttachment !
VolumeAttachmentSource: persistentVolumeName 1 string; inlineVolumeSpec 2 core.v1.PersistentVolumeSpec
VolumeAttachmentSpec: attacher 1 string ! =; source 2 VolumeAttachmentSource ! =; nodeName 3 string ! =
VolumeAttachmentStatus: attached 1 boolean ! =; attachmentMetadata 2 {}string; attachError 3 VolumeError; detachError 4 VolumeError
VolumeAttributesClass kind: metadata 1 meta.v1.ObjectMeta =; driverName 2 string ! =; parameters 3 {}string
VolumeAttributesClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []VolumeAttributesClass !
VolumeError: time 1 time; message 2 string; errorCode 3 int32
VolumeNodeResources: count 1 int32
@io.k8s.api.storage.v1beta1 storage.k8s.io/v1beta1
CSIDriver kind: metadata 1 meta.v1.ObjectMeta =; spec 2 CSIDriverSpec ! =
CSIDriverSpec: attachRequired 1 boolean; podInfoOnMount 2 boolean; volumeLifecycleModes 3 []string set; storageCapacity 4 boolean; fsGroupPolicy 5 string; tokenRequests 6 []TokenRequest atomic; requiresRepublish 7 boolean; seLinuxMount 8 boolean; nodeAllocatableUpdatePeriodSeconds 9 int64; serviceAccountTokenInSecrets 10 boolean; preventPodSchedulingIfMissing 11 boolean
TokenRequest: audience 1 string ! =; expirationSeconds 2 int64
CSIDriverList kind: metadata 1 meta.v1.ListMeta =; items 2 []CSIDriver !
CSINode kind: metadata 1 meta.v1.ObjectMeta =; spec 2 CSINodeSpec ! =
CSINodeSpec: drivers 1 []CSINodeDriver ! map(name) patch(merge) key(name)
CSINodeDriver: name 1 string ! =; nodeID 2 string ! =; topologyKeys 3 []string atomic; allocatable 4 VolumeNodeResources
VolumeNodeResources: count 1 int32
CSINodeList kind: metadata 1 meta.v1.ListMeta =; items 2 []CSINode !
CSIStorageCapacity kind: metadata 1 meta.v1.ObjectMeta =; nodeTopology 2 meta.v1.LabelSelector; storageClassName 3 string ! =; capacity 4 quantity; maximumVolumeSize 5 quantity
CSIStorageCapacityList kind: metadata 1 meta.v1.ListMeta =; items 2 []CSIStorageCapacity ! map(name)
StorageClass kind: metadata 1 meta.v1.ObjectMeta =; provisioner 2 string ! =; parameters 3 {}string; reclaimPolicy 4 string enum(Delete,Recycle,Retain); mountOptions 5 []string atomic; allowVolumeExpansion 6 boolean; volumeBindingMode 7 string enum(Immediate,WaitForFirstConsumer); allowedTopologies 8 []core.v1.TopologySelectorTerm atomic
StorageClassList kind: metadata 1 meta.v1.ListMeta =; items 2 []StorageClass !
VolumeAttachment kind: metadata 1 meta.v1.ObjectMeta =; spec 2 VolumeAttachmentSpec ! =; status 3 VolumeAttachmentStatus =
VolumeAttachmentSpec: attacher 1 string ! =; source 2 VolumeAttachmentSource ! =; nodeName 3 string ! =
VolumeAttachmentSource: persistentVolumeName 1 string; inlineVolumeSpec 2 core.v1.PersistentVolumeSpec
VolumeAttachmentStatus: attached 1 boolean ! =; attachmentMetadata 2 {}string; attachError 3 VolumeError; detachError 4 VolumeError
VolumeError: time 1 time; message 2 string; errorCode 3 int32
VolumeAttachmentList kind: metadata 1 meta.v1.ListMeta =; items 2 []VolumeAttachment !
@io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1 apiextensions.k8s.io/v1
CustomResourceColumnDefinition: name 1 string ! =; type 2 string ! =; format 3 string; description 4 string; priority 5 int32; jsonPath 6 string ! =
CustomResourceConversion: strategy 1 string ! =; webhook 2 WebhookConversion
CustomResourceDefinition kind: metadata 1 meta.v1.ObjectMeta =; spec 2 CustomResourceDefinitionSpec ! =; status 3 CustomResourceDefinitionStatus =
CustomResourceDefinitionCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string; observedGeneration 6 int64
CustomResourceDefinitionList kind: metadata 1 meta.v1.ListMeta =; items 2 []CustomResourceDefinition !
CustomResourceDefinitionNames: plural 1 string ! =; singular 2 string; shortNames 3 []string atomic; kind 4 string ! =; listKind 5 string; categories 6 []string atomic
CustomResourceDefinitionSpec: group 1 string ! =; names 3 CustomResourceDefinitionNames ! =; scope 4 string ! =; versions 7 []CustomResourceDefinitionVersion ! atomic; conversion 9 CustomResourceConversion; preserveUnknownFields 10 boolean
CustomResourceDefinitionStatus: conditions 1 []CustomResourceDefinitionCondition map(type); acceptedNames 2 CustomResourceDefinitionNames =; storedVersions 3 []string atomic; observedGeneration 4 int64
CustomResourceDefinitionVersion: name 1 string ! =; served 2 boolean ! =; storage 3 boolean ! =; deprecated 7 boolean; deprecationWarning 8 string; schema 4 CustomResourceValidation; subresources 5 CustomResourceSubresources; additionalPrinterColumns 6 []CustomResourceColumnDefinition atomic; selectableFields 9 []SelectableField atomic
CustomResourceSubresourceScale: specReplicasPath 1 string ! =; statusReplicasPath 2 string ! =; labelSelectorPath 3 string
CustomResourceSubresourceStatus:
CustomResourceSubresources: status 1 CustomResourceSubresourceStatus; scale 2 CustomResourceSubresourceScale
CustomResourceValidation: openAPIV3Schema 1 JSONSchemaProps
ExternalDocumentation: description 1 string; url 2 string
JSONSchemaProps: id 1 string; $schema 2 string; $ref 3 string; description 4 string; type 5 string; format 6 string; title 7 string; default 8 *JSON; maximum 9 double; exclusiveMaximum 10 boolean; minimum 11 double; exclusiveMinimum 12 boolean; maxLength 13 int64; minLength 14 int64; pattern 15 string; maxItems 16 int64; minItems 17 int64; uniqueItems 18 boolean; multipleOf 19 double; enum 20 []*JSON atomic; maxProperties 21 int64; minProperties 22 int64; required 23 []string atomic; items 24 *JSONSchemaPropsOrArray; allOf 25 []JSONSchemaProps atomic; oneOf 26 []JSONSchemaProps atomic; anyOf 27 []JSONSchemaProps atomic; not 28 JSONSchemaProps; properties 29 {}JSONSchemaProps; additionalProperties 30 *JSONSchemaPropsOrBool; patternProperties 31 {}JSONSchemaProps; dependencies 32 {}*JSONSchemaPropsOrStringArray; additionalItems 33 *JSONSchemaPropsOrBool; definitions 34 {}JSONSchemaProps; externalDocs 35 ExternalDocumentation; example 36 *JSON; nullable 37 boolean; x-kubernetes-preserve-unknown-fields 38 boolean; x-kubernetes-embedded-resource 39 boolean; x-kubernetes-int-or-string 40 boolean; x-kubernetes-list-map-keys 41 []string atomic; x-kubernetes-list-type 42 string; x-kubernetes-map-type 43 string; x-kubernetes-validations 44 []ValidationRule map(rule) patch(merge) key(rule)
SelectableField: jsonPath 1 string ! =
ServiceReference: namespace 1 string ! =; name 2 string ! =; path 3 string; port 4 int32
ValidationRule: rule 1 string ! =; message 2 string; messageExpression 3 string; reason 4 string enum(FieldValueDuplicate,FieldValueForbidden,FieldValueInvalid,FieldValueRequired); fieldPath 5 string; optionalOldSelf 6 boolean
WebhookClientConfig: url 3 string; service 1 ServiceReference; caBundle 2 bytes
WebhookConversion: clientConfig 2 WebhookClientConfig; conversionReviewVersions 3 []string ! atomic
@io.k8s.apimachinery.pkg.api.resource
@io.k8s.apimachinery.pkg.apis.meta.v1 /v1
APIGroup kind: name 1 string ! =; versions 2 []GroupVersionForDiscovery ! atomic; preferredVersion 3 GroupVersionForDiscovery =; serverAddressByClientCIDRs 4 []ServerAddressByClientCIDR atomic
APIResource: name 1 string ! =; singularName 6 string ! =; namespaced 2 boolean ! =; group 8 string; version 9 string; kind 3 string ! =; verbs 4 ~[]string !; shortNames 5 []string atomic; categories 7 []string atomic; storageVersionHash 10 string
APIResourceList kind: groupVersion 1 string ! =; resources 2 []APIResource ! atomic
Condition: type 1 string ! =; status 2 string ! =; observedGeneration 3 int64; lastTransitionTime 4 time !; reason 5 string ! =; message 6 string ! =
DeleteOptions kind everywhere: gracePeriodSeconds 1 int64; preconditions 2 Preconditions; orphanDependents 3 boolean; propagationPolicy 4 string; dryRun 5 []string atomic; ignoreStoreReadErrorWithClusterBreakingPotential 6 boolean
FieldSelectorRequirement: key 1 string ! =; operator 2 string ! =; values 3 []string atomic
GroupVersionForDiscovery: groupVersion 1 string ! =; version 2 string ! =
LabelSelector atomic: matchLabels 1 {}string; matchExpressions 2 []LabelSelectorRequirement atomic
LabelSelectorRequirement: key 1 string ! =; operator 2 string ! =; values 3 []string atomic
ListMeta: selfLink 1 string; resourceVersion 2 string; continue 3 string; remainingItemCount 4 int64; shardInfo 5 ShardInfo
ManagedFieldsEntry: manager 1 string; operation 2 string; apiVersion 3 string; time 4 time; fieldsType 6 string; fieldsV1 7 *FieldsV1; subresource 8 string
ObjectMeta: name 1 string; generateName 2 string; namespace 3 string; selfLink 4 string; uid 5 string; resourceVersion 6 string; generation 7 int64; creationTimestamp 8 time; deletionTimestamp 9 time; deletionGracePeriodSeconds 10 int64; labels 11 {}string; annotations 12 {}string; ownerReferences 13 []OwnerReference map(uid) patch(merge) key(uid); finalizers 14 []string set patch(merge); managedFields 17 []ManagedFieldsEntry atomic
OwnerReference atomic: apiVersion 5 string ! =; kind 1 string ! =; name 3 string ! =; uid 4 string ! =; controller 6 boolean; blockOwnerDeletion 7 boolean
Patch:
Preconditions: uid 1 string; resourceVersion 2 string
ServerAddressByClientCIDR: clientCIDR 1 string ! =; serverAddress 2 string ! =
ShardInfo: selector 1 string ! =
Status kind: metadata 1 ListMeta =; status 2 string; message 3 string; reason 4 string; details 5 StatusDetails; code 6 int32
StatusCause: reason 1 string; message 2 string; field 3 string
StatusDetails: name 1 string; group 2 string; kind 3 string; uid 6 string; causes 4 []StatusCause atomic; retryAfterSeconds 5 int32
WatchEvent everywhere: type 1 string ! =; object 2 *pkg.runtime.RawExtension !
@io.k8s.apimachinery.pkg.runtime
@io.k8s.apimachinery.pkg.util.intstr
@io.k8s.kube-aggregator.pkg.apis.apiregistration.v1 apiregistration.k8s.io/v1
APIService kind: metadata 1 meta.v1.ObjectMeta =; spec 2 APIServiceSpec =; status 3 APIServiceStatus =
APIServiceCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string
APIServiceList kind: metadata 1 meta.v1.ListMeta =; items 2 []APIService !
APIServiceSpec: service 1 ServiceReference; group 2 string; version 3 string; insecureSkipTLSVerify 4 boolean; caBundle 5 bytes atomic; groupPriorityMinimum 7 int32 ! =; versionPriority 8 int32 ! =
APIServiceStatus: conditions 1 []APIServiceCondition map(type) patch(merge) key(type)
ServiceReference: namespace 1 string; name 2 string; port 3 int32
@io.k8s.kube-aggregator.pkg.apis.apiregistration.v1beta1 apiregistration.k8s.io/v1beta1
APIService kind: metadata 1 meta.v1.ObjectMeta =; spec 2 APIServiceSpec =; status 3 APIServiceStatus =
APIServiceSpec: service 1 ServiceReference; group 2 string; version 3 string; insecureSkipTLSVerify 4 boolean; caBundle 5 bytes atomic; groupPriorityMinimum 7 int32 ! =; versionPriority 8 int32 ! =
ServiceReference: namespace 1 string; name 2 string; port 3 int32
APIServiceStatus: conditions 1 []APIServiceCondition map(type) patch(merge) key(type)
APIServiceCondition: type 1 string ! =; status 2 string ! =; lastTransitionTime 3 time; reason 4 string; message 5 string
APIServiceList kind: metadata 1 meta.v1.ListMeta =; items 2 []APIService !`;
